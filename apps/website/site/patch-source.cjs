/**
 * Changes a line of a library while it is bundled. Each change names the words it replaces and stops the build when
 * they are no longer there, so that a new version of the library cannot pass unseen.
 */
module.exports = function patchSource(source) {
  return this.getOptions().changes.reduce((text, { from, to }) => {
    if (!text.includes(from)) throw new Error(`${this.resourcePath} no longer contains: ${from}`)
    return text.split(from).join(to)
  }, source)
}
