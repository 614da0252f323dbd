import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { buildConsole } from '../../../tools/console-build.ts'

/** What these tests use is what ships: the built console and the built program. */
export default async function setUp(): Promise<void> {
  const bundle = path.resolve(import.meta.dirname, '../../../tools/bundle-cli.ts')
  execFileSync(process.execPath, [bundle], { stdio: 'inherit' })
  await buildConsole()
}
