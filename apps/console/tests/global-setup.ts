import { execFileSync } from 'node:child_process'
import path from 'node:path'

/** What these tests use is what ships: the built program and the built console. `npm test` has built the first already. */
export default function setUp(): void {
  if (process.env['THV_TEST_BUILT'] === undefined) runTool('bundle-cli.ts')
  runTool('run-console-build.ts', '--if-needed')
}

function runTool(name: string, ...args: readonly string[]): void {
  const file = path.resolve(import.meta.dirname, '../../../tools', name)
  // Vitest says `test`, and Vite would build React as for development.
  execFileSync(process.execPath, [file, ...args], { stdio: 'inherit', env: { ...process.env, NODE_ENV: 'production' } })
}
