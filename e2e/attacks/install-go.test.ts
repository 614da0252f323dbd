import { execFile } from 'node:child_process'
import { createServer } from 'node:net'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { describe, type TestContext } from 'vitest'
import * as z from 'zod'
import { GO_VERSION, type GoProxy, startGoProxy } from '@toolhaven/testing/testbed/go-proxy'
import { describeAttack, type Gains } from '../src/attacks/describe-attack.ts'
import { addHostileServer, addLeadingPackage, addReadingServer, type GoReport } from '../src/attacks/hostile-go.ts'
import { failureOf, openVictim, PROCESSES, UNUSED_ID, type Victim } from '../src/attacks/install-victim.ts'
import { OPEN_INSTALL, OPEN_SERVER } from '../src/attacks/install-weaknesses.ts'
import { callText, connectMcp } from '../src/mcp-client.ts'
import { platformsInTurn, usePlatform } from '../src/platform.ts'
import { untilGone, untilReport } from '../src/statuses.ts'

const imageOf = (name: string) => `go://hostile.example/${name}@${GO_VERSION}`
const moduleOf = (name: string) => `hostile.example/${name}`

/** A new name for every attack: engines keep the images that they built. */
const nameFor = ({ folder }: Victim, what: string) => `${what}-${basename(folder).toLowerCase()}`

async function needGo(context: TestContext): Promise<void> {
  if (process.arch !== 'x64') context.skip('the hostile Go package has system calls of x64 only')
  await promisify(execFile)('go', ['version']).catch(() => context.skip('no Go toolchain on this machine'))
}

/** The URL of a package's server that was run without any option. Undefined when the workload is in error. */
async function start({ daemon }: Victim, name: string): Promise<string | undefined> {
  await daemon.api.call('createWorkload', { body: { name, image: imageOf(name) } })
  await untilReport(daemon, name, 'running or in error', ({ status }) => status === 'running' || status === 'error')
  const { status, url } = await daemon.api.call('getWorkload', { params: { name } })
  return status === 'running' ? url : undefined
}

async function remove({ daemon }: Victim, name: string): Promise<void> {
  await daemon.api.call('deleteWorkload', { params: { name } })
  await untilGone(daemon, name)
}

const reportSchema: z.ZodType<GoReport> = z.object({
  reached: z.array(z.string()),
  read: z.array(z.string()),
  calls: z.array(z.string()),
  uid: z.number(),
  capabilities: z.string(),
  processes: z.number(),
})

/** What the server gains while it runs. */
async function reportOf(victim: Victim, name: string): Promise<GoReport> {
  const url = await start(victim, name)
  if (url === undefined) throw new Error(`the server of ${name} does not run`)
  await using connection = await connectMcp(url)
  const report = reportSchema.parse(JSON.parse(await callText(connection, 'report', { ...victim.targets })))
  await remove(victim, name)
  return report
}

/** Whether a build could read a file of the machine. */
async function isRead(victim: Victim, proxy: GoProxy): Promise<boolean> {
  const [folder = ''] = victim.targets.paths
  const name = nameFor(victim, 'reading')
  await addReadingServer(proxy, moduleOf(name), { path: join(folder, 'id'), words: 'a key' })
  const url = await start(victim, name)
  await remove(victim, name)
  return url !== undefined
}

/** A package that makes Go ask this machine for a dependency. Returns how often it asked, and why it failed. */
async function leadIn(victim: Victim, proxy: GoProxy) {
  let asked = 0
  const server = createServer((socket) => {
    asked += 1
    socket.on('error', () => undefined).destroy()
  })
  // Go asks hosts only at this port.
  await new Promise<void>((done) => server.listen(443, victim.host, done))
  await using _server = { [Symbol.asyncDispose]: () => new Promise<void>((done) => server.close(() => done())) }
  await addLeadingPackage(proxy, moduleOf('leading'), `${victim.host}/inner`)
  const reason = await failureOf(victim, imageOf('leading'))
  return { asked, reason }
}

describe.each(platformsInTurn(import.meta.url))('on %s', (kind) => {
  const platform = usePlatform(kind)

  describeAttack('a Go package', {
    defence: 'the walls around its fetch, its build and its server',
    weaknesses: [...OPEN_INSTALL[kind], ...OPEN_SERVER[kind]],
    attack: async (build, context): Promise<Gains> => {
      await needGo(context)
      const here = platform(context)
      await using stack = new AsyncDisposableStack()
      let proxy: GoProxy | undefined
      const settings = async (host: string) => {
        proxy = stack.use(await startGoProxy(host))
        return { GOPROXY: `${proxy.url},direct`, GONOSUMDB: '*' }
      }
      const victim = stack.use(await openVictim(build, here, { context, bases: ['golang'], settings }))
      if (proxy === undefined) throw new Error('the proxy was started')
      const name = nameFor(victim, 'spy')
      await addHostileServer(proxy, moduleOf(name))
      const report = await reportOf(victim, name)
      const leading = await leadIn(victim, proxy)
      const { places, processes } = victim.targets
      return {
        'a request of the fetch to this machine': leading.asked > 0,
        'a failure that does not name the host': !leading.reason.includes(`--install-host ${victim.host}:443 `),
        'a build that reads ~/.ssh': await isRead(victim, proxy),
        ...Object.fromEntries(Object.keys(places).map((place) => [place, report.reached.includes(place)])),
        'the keys in ~/.ssh': report.read.length > 0,
        // An engine's own filter may refuse this one as well.
        ...(kind === 'process' && { 'the memory of a process': report.calls.includes('the memory of a process') }),
        'a call of 32-bit programs': report.calls.includes('a call of 32-bit programs'),
        ...(here.engine && { 'rights of root': !/^0+$/.test(report.capabilities) }),
        ...(kind === 'docker' && { 'another id than servers have': report.uid !== UNUSED_ID }),
        ...(processes > 0 && { 'more processes than it may have': report.processes === PROCESSES }),
      }
    },
  })
})
