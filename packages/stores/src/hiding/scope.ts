import { basename, join, relative } from 'node:path'
import { printable } from '@toolhaven/contract/visible-text'
import { type IgnoreRules, parseIgnoreRules } from './ignore-rules.ts'
import { readIgnoreFile } from './read-ignore-file.ts'

export const IGNORE_FILE = '.thvignore'

/** The rules of one file and the folder they apply to. */
export interface Scope {
  base: string
  label: string
  rules: IgnoreRules | undefined
}

/** The rules in a folder's own ignore file, if it has one. A file without rules counts too: it is hidden so that the server cannot add rules. */
export async function ownScope(folder: string, ignoreCase: boolean): Promise<Scope | undefined> {
  const path = join(folder, IGNORE_FILE)
  const text = await readIgnoreFile(path, { followLinks: false })
  if (text === undefined) return undefined
  const label = printable(path)
  return { base: folder, label, rules: parseIgnoreRules(text, { label, ignoreCase }) }
}

/** One rule file that hides the path is enough. A file further down, which a server may have written, cannot show it again. */
export function reasonToHide(path: string, isFolder: boolean, scopes: readonly Scope[]): string | undefined {
  if (basename(path) === IGNORE_FILE) return 'it contains the rules'
  for (const { base, label, rules } of scopes) {
    const pattern = rules?.hides(relative(base, path), isFolder)
    if (pattern !== undefined) return `"${printable(pattern)}" in ${label}`
  }
  return undefined
}
