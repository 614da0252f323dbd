/** Both paths must be resolved. Only the root itself counts as within the root. */
export function isWithin(path: string, folder: string): boolean {
  if (folder === '/') return path === '/'
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`)
}
