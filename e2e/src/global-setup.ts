import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** End-to-end tests run the program as users do: built. `npm test` has built it already. */
export function setup(): void {
  // oxlint-disable-next-line node/no-process-env -- set by the runner
  if (process.env['THV_TEST_BUILT'] !== undefined) return
  execFileSync(process.execPath, [fileURLToPath(new URL('../../tools/bundle-cli.ts', import.meta.url))], {
    stdio: 'inherit',
  })
}
