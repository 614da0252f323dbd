import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** Where the built console is: next to the installed program, the bundle in the repository, or the sources. */
const PLACES = ['console', '../../console/dist', '../../../console/dist']

/** The folder of the built console, whether or not it exists. */
export function consoleFolder(): string {
  const folders = PLACES.map((place) => join(import.meta.dirname, place))
  return (
    folders.find((folder) => existsSync(join(folder, 'index.html'))) ?? join(import.meta.dirname, '../../console/dist')
  )
}
