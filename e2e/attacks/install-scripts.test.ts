import { writeFile } from 'node:fs/promises'
import { createServer as createHttpServer } from 'node:http'
import { join } from 'node:path'
import { describe } from 'vitest'
import * as z from 'zod'
import { startPackageRegistry } from '@toolhaven/testing/testbed/package-registry'
import { startPythonIndex } from '@toolhaven/testing/testbed/python-index'
import { describeAttack, type Gains } from '../src/attacks/describe-attack.ts'
import {
  makeHostileSdist,
  makeLeadingWheel,
  makeTellingSdist,
  type Report,
  writeHostileNpm,
} from '../src/attacks/hostile-packages.ts'
import {
  failureOf,
  INDEX_TOKEN,
  openVictim,
  PROCESSES,
  UNUSED_ID,
  type Victim,
  writeConfig,
} from '../src/attacks/install-victim.ts'
import { OPEN_INSTALL } from '../src/attacks/install-weaknesses.ts'
import { writeFixturePackage } from '../src/fixture-package.ts'
import { callText, connectMcp } from '../src/mcp-client.ts'
import { type Platform, platformsInTurn, usePlatform } from '../src/platform.ts'
import { untilGone, untilStatus } from '../src/statuses.ts'

const NAME = 'thv-hostile'

const reportSchema: z.ZodType<Report> = z.object({
  reached: z.array(z.string()),
  read: z.array(z.string()),
  token: z.array(z.string()),
  uid: z.number(),
  capabilities: z.string(),
  processes: z.number(),
})

/** Runs the package and asks what its script gained. */
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

/** An npm package with a dependency given as an address of this machine. Nothing has to run for npm to request it. */
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
    // The daemon of the tests belongs to root, so servers from packages run as nobody.
    ...(here.kind === 'docker' && { 'another id than servers have': report.uid !== UNUSED_ID }),
  }
}

describe.each(platformsInTurn(import.meta.url))('on %s', (kind) => {
  const platform = usePlatform(kind)

  describeAttack('an npm package with an install script', {
    defence: 'a second step with neither token nor network',
    weaknesses: OPEN_INSTALL[kind],
    attack: async (build, context) => {
      const here = platform(context)
      await using stack = new AsyncDisposableStack()
      const victim = stack.use(await openVictim(build, here, { context, bases: ['node', 'python'] }))
      const { host, folder } = victim
      await writeHostileNpm(join(folder, NAME), NAME, victim.targets)
      const leading = await writeLeadingNpm(victim, here, stack)
      const folders = [NAME, leading.name].map((name) => join(folder, name))
      const registry = stack.use(await startPackageRegistry(folders, { token: INDEX_TOKEN, host }))
      const auth = `${registry.url.replace(/^http:/, '')}:_authToken=${INDEX_TOKEN}`
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

  describeAttack('a Python package that is built from source', {
    defence: 'a second step with neither token nor network',
    weaknesses: OPEN_INSTALL[kind],
    attack: async (build, context) => {
      const here = platform(context)
      await using victim = await openVictim(build, here, { context, bases: ['node', 'python'] })
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
      await writeConfig(victim, '.pip/pip.conf', settings.replace('http://', `http://me:${INDEX_TOKEN}@`))
      // uv accepts addresses of dependencies only from the user, so there the package itself has to be built.
      await failureOf(victim, here.engine ? 'uvx://thv-leading@1.0.0' : 'uvx://thv-built@1.0.0')
      return { ...gains, 'code of a package beside the token': index.requests.includes('/was-run') }
    },
  })
})
