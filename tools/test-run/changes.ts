import { execFileSync, spawnSync } from 'node:child_process'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '../..')

/** HEAD while something is uncommitted; after a commit what it changed. */
export function defaultBase(): string {
  return git('status', '--porcelain') === '' ? 'HEAD~1' : 'HEAD'
}

export function isRevision(name: string): boolean {
  return spawnSync('git', ['rev-parse', '--verify', '--quiet', `${name}^{commit}`], { cwd: root }).status === 0
}

/** Files that differ from a revision, new ones included, from the top of the repository. */
export function changedFiles(base: string): string[] {
  // With -z, names with letters beyond ASCII come as they are.
  const names = `${git('diff', '--name-only', '-z', base)}\0${git('ls-files', '-z', '--others', '--exclude-standard')}`
  return [...new Set(names.split('\0').filter((name) => name !== ''))].toSorted()
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
}
