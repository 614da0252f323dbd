import path from 'node:path'
import { build } from 'vite'

const root = path.resolve(import.meta.dirname, '../apps/console')
export const consoleFolder = path.join(root, 'dist')

/** Builds the console into apps/console/dist. */
export async function buildConsole(): Promise<void> {
  await build({ configFile: path.join(root, 'vite.config.ts'), logLevel: 'warn' })
}
