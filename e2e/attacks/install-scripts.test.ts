import { chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer as createHttpServer } from 'node:http'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, type TestContext } from 'vitest'
import * as z from 'zod'
import { buildBaseImages } from '@toolhaven/testing/testbed/base-images'
import type { Engine } from '@toolhaven/testing/testbed/engine'
import { engineMust } from '@toolhaven/testing/testbed/engine-http'
import { startPackageRegistry } from '@toolhaven/testing/testbed/package-registry'
import { startPythonIndex } from '@toolhaven/testing/testbed/python-index'
import { attackedPlatforms } from '../src/attacks/attacked-platforms.ts'
import type { Build } from '../src/attacks/build.ts'
import { describeAttack, type Gains } from '../src/attacks/describe-attack.ts'
import {
  makeHostileSdist,
  makeLeadingWheel,
  makeTellingSdist,
  type Report,
  type Targets,
  writeHostileNpm,
} from '../src/attacks/hostile-packages.ts'
import { OPEN_INSTALL } from '../src/attacks/install-weaknesses.ts'
import { openAddress } from '../src/attacks/own-address.ts'
import type { DaemonProcess } from '../src/daemon-process.ts'
import { FIXTURE_IMAGE } from '../src/fixture-image.ts'
import { writeFixturePackage } from '../src/fixture-package.ts'
import type { Home } from '../src/home.ts'
import { callText, connectMcp } from '../src/mcp-client.ts'
import { type Platform, usePlatform } from '../src/platform.ts'
import { untilGone, untilStatus } from '../src/statuses.ts'

const TOKEN = 'npm_canary_5f1d7e'
const NAME = 'thv-hostile'
/** Of servers from packages, where the daemon is root's. */
const UNUSED_ID = 2_000_000_000
/** More than scripts may start. */
const PROCESSES = 560
async function listen(where: { host: string } | { path: string }): Promise<{ port: number } & AsyncDisposable> {
  const server: Server = createServer((socket) => socket.end())
  await new Promise<void>((done) => server.listen('path' in where ? where : { port: 0, ...where }, done))
  const address = server.address()
  const port = address !== null && typeof address === 'object' ? address.port : 0
  return { port, [Symbol.asyncDispose]: () => new Promise((done) => server.close(() => done())) }
}

const inspected = z.looseObject({
  NetworkSettings: z.looseObject({
    IPAddress: z.string().optional(),
    Networks: z.record(z.string(), z.looseObject({ IPAddress: z.string().optional() })).nullish(),
  }),
})

/** A container on the network that all share. */
async function startNeighbour({ socketPath }: Engine): Promise<{ host: string; port: number } & AsyncDisposable> {
  const json = {
    Image: FIXTURE_IMAGE,
    Cmd: ['--transport=streamable-http', '--host=0.0.0.0', '--port=8123'],
    HostConfig: { NetworkMode: 'bridge' },
  }
  await engineMust(socketPath, 'POST', '/containers/create?name=neighbour', { json })
  await engineMust(socketPath, 'POST', '/containers/neighbour/start')
  const { NetworkSettings: found } = inspected.parse(
    JSON.parse(await engineMust(socketPath, 'GET', '/containers/neighbour/json')),
  )
  const [network] = Object.values(found.Networks ?? {})
  return {
    host: network?.IPAddress || found.IPAddress || '',
    port: 8123,
    [Symbol.asyncDispose]: async () =>
      void (await engineMust(socketPath, 'DELETE', '/containers/neighbour?force=true')),
  }
}

interface Victim extends AsyncDisposable {
  home: Home
  daemon: DaemonProcess
  targets: Targets
  /** Of the registries. */
  host: string
  folder: string
}

async function openVictim(build: Build, here: Platform, context: TestContext): Promise<Victim> {
  await using stack = new AsyncDisposableStack()
  const { address: host } = stack.use(await openAddress(context))
  if (here.engine) await buildBaseImages(here.engine, ['node', 'python'])
  const folder = await mkdtemp(join(tmpdir(), 'thv-hostile-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  const home = stack.use(await here.makeHome({ npm_config_registry: '', npm_config_userconfig: '' }))
  const daemon = stack.use(await build.start(home))
  const service = stack.use(await listen({ host: '0.0.0.0' }))
  const abstract = `\0thv-hostile-${process.pid}`
  stack.use(await listen({ path: abstract }))
  const neighbour = here.engine && stack.use(await startNeighbour(here.engine))
  const ssh = join(home.env['HOME'] ?? '', '.ssh')
  await mkdir(ssh)
  await writeFile(join(ssh, 'id'), 'a key')
  if (home.user) for (const path of [ssh, join(ssh, 'id')]) await chown(path, home.user.uid, home.user.gid)
  const loopback = { host: '127.0.0.1', port: service.port }
  const targets: Targets = {
    places: {
      'a service on an address of the machine': { host, port: service.port },
      ...(neighbour
        ? { 'a neighbour': { host: neighbour.host, port: neighbour.port } }
        : {
            'a service on the loopback': loopback,
            'the API of the daemon': { ...loopback, port: daemon.port },
            'an abstract socket': { path: abstract },
          }),
    },
    token: TOKEN,
    paths: [ssh],
    processes: here.kind === 'podman' ? 0 : PROCESSES,
  }
  const kept = stack.move()
  return { home, daemon, targets, host, folder, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}

const reportSchema: z.ZodType<Report> = z.object({
  reached: z.array(z.string()),
  read: z.array(z.string()),
  token: z.array(z.string()),
  uid: z.number(),
  capabilities: z.string(),
  processes: z.number(),
})

async function writeConfig({ home }: Victim, name: string, text: string): Promise<void> {
  const path = join(home.env['HOME'] ?? '', name)
  await mkdir(join(path, '..'), { recursive: true })
  await writeFile(path, text, { mode: 0o644 })
}

/** Runs the package and asks what its script got. */
async function reportOf({ daemon }: Victim, here: Platform, image: string): Promise<Report> {
  const body = { name: 'hostile', image, permission_profile: { network: { outbound: {} } } }
  await daemon.api.call('createWorkload', { body })
  await untilStatus(daemon, 'hostile', 'running')
  const { url } = await daemon.api.call('getWorkload', { params: { name: 'hostile' } })
  await using connection = await connectMcp(url)
  const folder = here.engine ? '/app' : '/opt/package'
  const script = `require('node:fs').readFileSync('${folder}/node_modules/${NAME}/report.json', 'utf8')`
  const said = image.startsWith('npx:')
    ? await callText(connection, 'run', { command: ['node', '-p', script] })
    : await callText(connection, 'report', {})
  await daemon.api.call('deleteWorkload', { params: { name: 'hostile' } })
  await untilGone(daemon, 'hostile')
  return reportSchema.parse(JSON.parse(said))
}

/** Waits until a package could not be installed, and gives the reason. */
async function failureOf({ daemon }: Victim, image: string): Promise<string> {
  await daemon.api.call('createWorkload', { body: { name: 'failing', image } })
  await untilStatus(daemon, 'failing', 'error')
  const { status_context: reason } = await daemon.api.call('getWorkload', { params: { name: 'failing' } })
  await daemon.api.call('deleteWorkload', { params: { name: 'failing' } })
  await untilGone(daemon, 'failing')
  return reason
}

/** An npm package with a dependency that is an address of this machine. Nothing has to run for npm to ask for it. */
async function writeLeadingNpm({ folder, host }: Victim, here: Platform, stack: AsyncDisposableStack) {
  const requests: string[] = []
  const service = createHttpServer((request, response) => {
    requests.push(request.url ?? '')
    response.writeHead(404).end()
  })
  await new Promise<void>((done) => service.listen(0, '0.0.0.0', done))
  stack.defer(() => void service.close())
  const address = service.address()
  const place = `${here.engine ? host : '127.0.0.1'}:${typeof address === 'object' ? address?.port : ''}`
  const name = `${NAME}-leading`
  await writeFixturePackage(join(folder, name), name)
  const manifest = { name, version: '1.0.0', bin: { [name]: 'fixture-server.mjs' } }
  const dependencies = { inner: `http://${place}/inner.tgz` }
  await writeFile(join(folder, name, 'package.json'), JSON.stringify({ ...manifest, dependencies }))
  return { name, place, requests }
}

function gainsOf(report: Report, { targets }: Victim, here: Platform): Gains {
  return {
    ...Object.fromEntries(Object.keys(targets.places).map((place) => [place, report.reached.includes(place)])),
    'the keys in ~/.ssh': report.read.length > 0,
    ...(here.engine && { 'rights of root': !/^0+$/.test(report.capabilities) }),
    // The daemon of the tests is root's, so servers from packages are nobody's.
    ...(here.kind === 'docker' && { 'another id than servers have': report.uid !== UNUSED_ID }),
  }
}

describe.each(attackedPlatforms('install'))('on %s', (kind) => {
  const platform = usePlatform(kind)

  describeAttack('an npm package with an install script', {
    defence: 'a second step with neither token nor network',
    weaknesses: OPEN_INSTALL[kind],
    attack: async (build, context) => {
      const here = platform(context)
      await using stack = new AsyncDisposableStack()
      const victim = stack.use(await openVictim(build, here, context))
      const { host, folder } = victim
      await writeHostileNpm(join(folder, NAME), NAME, victim.targets)
      const leading = await writeLeadingNpm(victim, here, stack)
      const folders = [NAME, leading.name].map((name) => join(folder, name))
      const registry = stack.use(await startPackageRegistry(folders, { token: TOKEN, host }))
      const auth = `${registry.url.replace(/^http:/, '')}:_authToken=${TOKEN}`
      await writeConfig(victim, '.npmrc', `registry=${registry.url}\n${auth}\n`)
      const report = await reportOf(victim, here, `npx://${NAME}@1.0.0`)
      const reason = await failureOf(victim, `npx://${leading.name}@1.0.0`)
      return {
        'a request of the fetch to this machine': leading.requests.length > 0,
        'a failure that does not name the host': !reason.includes(`--install-host ${leading.place} `),
        ...gainsOf(report, victim, here),
        'the token of the registry': report.token.length > 0,
        ...(victim.targets.processes > 0 && { 'more processes than it may have': report.processes === PROCESSES }),
      }
    },
  })

  // A Go module runs nothing while it is built: without cgo and `go generate` there is no such thing.
  describeAttack('a Python package that is built from source', {
    defence: 'a second step with neither token nor network',
    weaknesses: OPEN_INSTALL[kind],
    attack: async (build, context) => {
      const here = platform(context)
      await using victim = await openVictim(build, here, context)
      const content = await makeHostileSdist(victim.folder, NAME, victim.targets)
      const file = { name: `${NAME.replaceAll('-', '_')}-1.0.0.tar.gz`, content }
      await using index = await startPythonIndex(victim.host)
      index.files.set(NAME, file)
      // Without an engine uv is fetched too, from the index of this machine.
      const key = here.engine ? 'index-url' : 'extra-index-url'
      const settings = `[global]\n${key} = ${index.url}\ntrusted-host = ${victim.host}\n`
      await writeConfig(victim, '.pip/pip.conf', settings)
      const gains = gainsOf(await reportOf(victim, here, `uvx://${NAME}@1.0.0`), victim, here)
      const origin = `http://${victim.host}:${index.port}`
      const built = await makeTellingSdist(victim.folder, `${origin}/was-run`)
      index.files.set('thv-built', built)
      const wheel = await makeLeadingWheel(victim.folder, 'thv-leading', `${origin}/files/${built.name}`)
      index.files.set('thv-leading', wheel)
      await writeConfig(victim, '.pip/pip.conf', settings.replace('http://', `http://me:${TOKEN}@`))
      // uv takes the address of a dependency from nobody but the user, so there the package itself has to be built.
      await failureOf(victim, here.engine ? 'uvx://thv-leading@1.0.0' : 'uvx://thv-built@1.0.0')
      return { ...gains, 'code of a package beside the token': index.requests.includes('/was-run') }
    },
  })
})
