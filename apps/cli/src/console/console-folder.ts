import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** Beside the shipped program, beside its bundle in the repository, and from its sources. */
const PLACES = ['console', '../../console/dist', '../../../console/dist']

/** Where the built console is, or would be. */
export function consoleFolder(): string {
  const folders = PLACES.map((place) => join(import.meta.dirname, place))
  return (
    folders.find((folder) => existsSync(join(folder, 'index.html'))) ?? join(import.meta.dirname, '../../console/dist')
  )
}
