/** Both resolved. Nothing counts as within the root but the root. */
export function isWithin(path: string, folder: string): boolean {
  if (folder === '/') return path === '/'
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`)
}
