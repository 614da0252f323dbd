import { execFileSync } from 'node:child_process'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '../..')

/** HEAD while something is uncommitted; after a commit what it changed. */
export function defaultBase(): string {
  return git('status', '--porcelain') === '' ? 'HEAD~1' : 'HEAD'
}

/** Files that differ from a revision, new ones included, from the top of the repository. */
export function changedFiles(base: string): string[] {
  const lines = `${git('diff', '--name-only', base)}\n${git('ls-files', '--others', '--exclude-standard')}`
  return [...new Set(lines.split('\n').filter((line) => line !== ''))].toSorted()
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
}
