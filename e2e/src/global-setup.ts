import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** End-to-end tests run the program as users do: built. */
export function setup(): void {
  execFileSync(process.execPath, [fileURLToPath(new URL('../../tools/bundle-cli.ts', import.meta.url))], {
    stdio: 'inherit',
  })
}
