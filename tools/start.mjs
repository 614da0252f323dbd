// `npm start`: everything that is missing, then the daemon in the foreground, bundled so that it starts fast.
import { execFileSync } from 'node:child_process'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { become, run, setUp } from './set-up.mjs'
import { SANDBOX, bringSystemPackages } from './system-packages.mjs'

await run(() => {
  const node = setUp()
  if (process.platform === 'linux') bringSystemPackages(SANDBOX, 'The sandbox')
  execFileSync(node, [fileURLToPath(new URL('bundle-cli.ts', import.meta.url))], { stdio: 'inherit' })
  become(node, 'apps/cli/dist/thv.mjs', ['serve', ...process.argv.slice(2)])
})
