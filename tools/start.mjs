// `npm start`: everything that is missing, then the daemon in the foreground, bundled so that it starts fast, and the
// documentation behind it.
import { execFileSync, spawn } from 'node:child_process'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { become, ownEnvironment, run, setUp } from './set-up.mjs'
import { SANDBOX, bringSystemPackages } from './system-packages.mjs'

const own = (file) => fileURLToPath(new URL(file, import.meta.url))

await run(() => {
  const args = process.argv.slice(2)
  const node = setUp()
  if (process.platform === 'linux') bringSystemPackages(SANDBOX, 'The sandbox')
  execFileSync(node, [own('bundle-cli.ts')], { stdio: 'inherit' })
  // It follows this process, which becomes the daemon, and ends when that ends.
  if (!args.some((arg) => arg === '--help' || arg === '-h')) {
    const env = { ...ownEnvironment(node), TOOLHAVEN_DAEMON_PID: String(process.pid) }
    spawn(node, [own('run-site.ts'), ...args], { stdio: ['ignore', 'inherit', 'inherit'], env }).unref()
  }
  become(node, 'apps/cli/dist/thv.mjs', ['serve', ...args])
})
