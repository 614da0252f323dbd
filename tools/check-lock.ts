import { readFileSync } from 'node:fs'
import path from 'node:path'
import { report } from './report.ts'

export interface LockEntry {
  resolved?: string
  optionalDependencies?: Record<string, string>
}

/**
 * If the registry lacks the native packages of other platforms, `npm install` silently leaves them out of the lock file.
 * `npm ci` then refuses the lock file everywhere.
 */
export function lockProblems(packages: Readonly<Record<string, LockEntry>>): string[] {
  return Object.entries(packages).flatMap(([where, entry]) => [
    ...Object.keys(entry.optionalDependencies ?? {})
      .filter((name) => !places(where).some((place) => `${place}node_modules/${name}` in packages))
      .map(
        (name) => `${where} needs ${name}, which is not in the lock file: choose a version that has all its platforms`,
      ),
    ...(entry.resolved?.includes('://') ? [`${where} names the host it came from: ${entry.resolved}`] : []),
  ])
}

/** The folders in which Node looks for a dependency, nearest first. */
function places(where: string): string[] {
  const parts = where.split('/node_modules/')
  return where === ''
    ? ['']
    : [
        `${where}/`,
        ...parts
          .map((_, index) => parts.slice(0, index).join('/node_modules/'))
          .map((part) => (part === '' ? '' : `${part}/`)),
      ]
}

if (import.meta.main) {
  const file = path.resolve(import.meta.dirname, '../package-lock.json')
  const lock: { packages: Record<string, LockEntry> } = JSON.parse(readFileSync(file, 'utf8'))
  report(
    lockProblems(lock.packages),
    `${Object.keys(lock.packages).length} entries, every platform's packages among them`,
  )
}
