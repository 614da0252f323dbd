/**
 * Changes a line of a library while it is bundled. Each change names the words it replaces and stops the build when
 * they are no longer there, so that a new version of the library cannot pass unseen.
 */
module.exports = function patchSource(source) {
  return this.getOptions().changes.reduce((text, { from, until, to }) => {
    if (!text.includes(from)) throw new Error(`${this.resourcePath} no longer contains: ${from}`)
    if (until === undefined) return text.split(from).join(to)
    const start = text.indexOf(from)
    const end = text.indexOf(until, start)
    if (end < 0) throw new Error(`${this.resourcePath} no longer contains: ${until}`)
    return text.slice(0, start) + to + text.slice(end)
  }, source)
}
