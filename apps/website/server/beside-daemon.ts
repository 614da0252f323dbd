import { openSearch } from './open-search.ts'
import { type RunningSite, serveSite } from './serve-site.ts'
import { serveAfterEarlier } from './serve-after-earlier.ts'
import { buildSite, isSiteFresh, siteFolder } from '../builder/site-build.ts'

/**
 * The documentation beside the daemon of `npm start`: waits until the daemon answers, builds the site when it is stale,
 * serves it, and ends with the daemon. Whatever goes wrong here is one line; the daemon goes on.
 */
const port = Number(process.env['PORT'] ?? 3000)
const say = (line: string) => process.stdout.write(`${line}\n`)

followDaemon(Number(process.env['TOOLHAVEN_DAEMON_PID']))
try {
  await daemonAnswers(process.argv.slice(2))
  if (!isSiteFresh()) {
    say('  Docs      being built; this takes a minute the first time …')
    await buildSite({ log: () => {} })
  }
  const site = await serveAfterEarlier({ port, serve })
  say(`  Docs      ${site.url}`)
} catch (error) {
  say(`  Docs      ${explain(error)}`)
  process.exit(1)
}

async function serve(): Promise<RunningSite> {
  const search = await openSearch(siteFolder)
  return serveSite({ folder: siteFolder, port, ...(search === undefined ? {} : { search }) })
}

function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if ('code' in error && error.code === 'EADDRINUSE') {
    return `not served: port ${port} is taken by another program. Free it, or set PORT, and start again.`
  }
  return `not served: ${error.message}`
}

/** Polls, with a deadline: the daemon says nothing to us, and the site should be there even if it never answers. */
async function daemonAnswers(args: readonly string[]): Promise<void> {
  const at = args.findIndex((arg) => arg === '--port' || arg === '-p')
  const daemonPort =
    args.find((arg) => arg.startsWith('--port='))?.slice('--port='.length) ?? args[at + 1 || args.length]
  const deadline = Date.now() + 20_000
  while (Date.now() < deadline) {
    const answer = await fetch(`http://127.0.0.1:${Number(daemonPort ?? 8080)}/health`).catch(() => undefined)
    if (answer !== undefined) return
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

/** The daemon is our parent: once it is gone, we have another one. */
function followDaemon(daemon: number): void {
  setInterval(() => {
    if (process.ppid !== daemon) process.exit(0)
  }, 500).unref()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(0))
}
