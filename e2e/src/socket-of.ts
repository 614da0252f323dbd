import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Home } from './home.ts'

/** The one unix socket of the home's daemon. */
export async function socketOf(home: Home): Promise<string> {
  const folder = join(home.env['XDG_RUNTIME_DIR'] ?? '', 'toolhaven')
  const [name, ...others] = (await readdir(folder)).filter((entry) => entry.endsWith('.sock'))
  if (name === undefined || others.length > 0) throw new Error(`expected one socket in ${folder}`)
  return join(folder, name)
}
