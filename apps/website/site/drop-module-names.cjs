/**
 * Beside the loader of each page stands the name of its file, which only the build asks for, to know what a page used. In
 * the browser their share of the script of a page was 1 KB, and grew with every page.
 */
module.exports = function dropModuleNames(source) {
  const names = /, "@[^"]+", (?=require\.resolveWeak\()/g
  if (!names.test(source)) throw new Error(`${this.resourcePath} no longer names the files of the pages`)
  return source.replaceAll(names, ', "", ')
}
