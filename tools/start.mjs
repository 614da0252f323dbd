// `npm start`: everything that is missing, then the daemon in the foreground, bundled so that it starts fast, and the
// documentation behind it.
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { become, ownEnvironment, run, setUp } from './set-up.mjs'
import { SANDBOX, bringSystemPackages } from './system-packages.mjs'

const own = (file) => fileURLToPath(new URL(file, import.meta.url))

await run(() => {
  const args = process.argv.slice(2)
  if (args.some((arg) => arg === '--help' || arg === '-h')) return showHelp()
  const node = setUp()
  if (process.platform === 'linux') bringSystemPackages(SANDBOX, 'The sandbox')
  execFileSync(node, [own('bundle-cli.ts')], { stdio: 'inherit' })
  buildConsole(node)
  // It follows this process, which becomes the daemon, and ends when that ends.
  const env = { ...ownEnvironment(node), TOOLHAVEN_DAEMON_PID: String(process.pid) }
  spawn(node, [own('../apps/website/server/beside-daemon.ts'), ...args], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env,
  }).unref()
  become(node, 'apps/cli/dist/thv.mjs', ['serve', ...args])
})

/** Without the console the daemon works all the same, and its page says how to build it. */
function buildConsole(node) {
  const { status } = spawnSync(node, [own('run-console-build.ts'), '--if-needed'], { stdio: 'inherit' })
  if (status !== 0) console.error('The console was not built; "npm run build:console" tries again.')
}

/** The program that could be asked is not there before everything is installed; its reference page is. */
function showHelp() {
  const page = readFileSync(own('../apps/website/docs/toolhaven/reference/cli/thv_serve.md'), 'utf8')
  const rows = [...page.matchAll(/^\| `(-.+?)` \| (.+) \|$/gm)].map(([, option, meaning]) => ({ option, meaning }))
  const width = Math.max(...rows.map(({ option }) => option.length))
  console.log(
    'Usage: npm start [-- options]\n\n' +
      'Installs what is missing, runs the daemon in the foreground and serves the documentation at port 3000 (PORT changes it).\n' +
      'Options are passed to "thv serve":\n',
  )
  for (const { option, meaning } of rows) console.log(`  ${option.padEnd(width)}  ${meaning.replaceAll('\\', '')}`)
}
