import type { SiteFile } from './site-files.ts'

export type Found = { kind: 'file'; file: SiteFile } | { kind: 'moved'; to: string } | { kind: 'nothing' }

/** Which file an address means. A page answers with and without a slash at its end; `.html` spellings move to the page. */
export function findFile(files: ReadonlyMap<string, SiteFile>, address: string): Found {
  if (/(?:\/index)?\.html$/.test(address)) {
    return { kind: 'moved', to: address.replace(/(?:\/index)?\.html$/, '') || '/' }
  }
  const file = files.get(address) ?? files.get(`${address.replace(/\/$/, '')}/index.html`)
  return file === undefined ? { kind: 'nothing' } : { kind: 'file', file }
}
