/**
 * Every page loads a list of all pages with their descriptions, for cards that look them up; on this site none do. Their
 * share of the script of a page was 2 KB, and grew with every page.
 */
module.exports = function dropDescriptions(source) {
  const props = JSON.parse(source)
  const docs = props.version?.docs
  if (docs === undefined) throw new Error(`${this.resourcePath} no longer lists the pages of the site`)
  for (const page of Object.values(docs)) delete page.description
  return JSON.stringify(props)
}
