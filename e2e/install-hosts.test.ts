import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startPackageRegistry } from '@toolhaven/testing/testbed/package-registry'
import { startDaemon } from './src/daemon-process.ts'
import { writeFixturePackage } from './src/fixture-package.ts'
import { platformsInTurn, usePlatform } from './src/platform.ts'
import { thv } from './src/thv.ts'

const platform = usePlatform('process')
const NAME = 'thv-downloading'
const OPTIONAL = 'thv-optional-driver'

/** Where install scripts download something from. */
async function offerDownload(stack: AsyncDisposableStack): Promise<string> {
  const server = createServer((_request, response) => response.end('a driver')).listen(0, '127.0.0.1')
  await new Promise((done) => server.once('listening', done))
  stack.defer(() => void server.close())
  const address = server.address()
  return `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
}

/** A package whose install script downloads something and fails without it. */
async function writeDownloading(folder: string, name: string, place: string, more: object = {}): Promise<void> {
  await writeFixturePackage(folder, name)
  const manifest = { name, version: '1.0.0', type: 'module', bin: { [name]: 'fixture-server.mjs' } }
  const scripts = { postinstall: 'node download.mjs' }
  await writeFile(join(folder, 'package.json'), JSON.stringify({ ...manifest, scripts, ...more }))
  const download = `const answer = await fetch('http://${place}/')\nprocess.exit(answer.ok ? 0 : 1)\n`
  await writeFile(join(folder, 'download.mjs'), download)
}

async function offerPackage(stack: AsyncDisposableStack): Promise<{ place: string; registry: string }> {
  const place = await offerDownload(stack)
  const folder = await mkdtemp(join(tmpdir(), 'thv-install-hosts-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  await writeDownloading(join(folder, NAME), NAME, place)
  return { place, registry: stack.use(await startPackageRegistry([join(folder, NAME)])).url }
}

/** Nobody has this name, and no list contains it. */
const REFUSED = 'driver.example'

/** A package with a script of its own that does nothing, and an optional dependency whose script downloads something. */
async function offerWithOptional(stack: AsyncDisposableStack): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'thv-install-hosts-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  const scripts = { postinstall: 'node -e ""' }
  const optionalDependencies = { [OPTIONAL]: '1.0.0' }
  await writeDownloading(join(folder, NAME), NAME, REFUSED, { scripts, optionalDependencies })
  await writeDownloading(join(folder, OPTIONAL), OPTIONAL, REFUSED)
  const folders = [NAME, OPTIONAL].map((name) => join(folder, name))
  return stack.use(await startPackageRegistry(folders)).url
}

test('a script that is refused a host fails the start with the flag that allows it', async (context) => {
  await using stack = new AsyncDisposableStack()
  const { makeHome } = platform(context)
  const { place, registry } = await offerPackage(stack)
  const home = stack.use(await makeHome({ npm_config_registry: registry }))
  stack.use(await startDaemon(home))
  const run = (...flags: string[]) => thv(home, ['run', `npx://${NAME}@1.0.0`, '--name', 'downloading', ...flags])

  const refused = await run('--keep')
  expect(refused.code).not.toBe(0)
  expect(refused.stderr).toContain(`refused ${place}`)
  expect(refused.stderr).toContain(`allow it with --install-host ${place} `)
  const log = await thv(home, ['logs', 'downloading'])
  expect(log.stdout).toContain(`install: blocked: ${place}`)

  await thv(home, ['rm', 'downloading'])
  const allowed = await run('--install-host', place)
  expect(allowed, allowed.stderr).toMatchObject({ code: 0 })
  const exported = await thv(home, ['export', 'downloading'])
  expect(exported.stdout, exported.stderr).toContain(place)
})

describe.each(platformsInTurn(import.meta.url))('on %s', (kind) => {
  const eachPlatform = usePlatform(kind)

  test('an optional dependency whose script is refused a host is left out, and the server starts', async (context) => {
    await using stack = new AsyncDisposableStack()
    const here = eachPlatform(context)
    const home = stack.use(await here.makeHome({ npm_config_registry: await offerWithOptional(stack) }))
    stack.use(await startDaemon(home))
    const started = await thv(home, ['run', `npx://${NAME}@1.0.0`, '--name', 'optional'])
    expect(started, started.stderr).toMatchObject({ code: 0 })
    const log = await thv(home, ['logs', 'optional'])
    expect(log.stdout).toContain(`install: blocked: ${REFUSED}`)
    expect(log.stdout).toContain(`left out ${OPTIONAL}`)
  })
})

test('a package is fetched through the proxy of the user, which is on this machine', async (context) => {
  await using stack = new AsyncDisposableStack()
  const { makeHome } = platform(context)
  const folder = await mkdtemp(join(tmpdir(), 'thv-proxied-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  await writeFixturePackage(join(folder, NAME), NAME)
  const registry = stack.use(await startPackageRegistry([join(folder, NAME)]))
  const asked: string[] = []
  const proxy = createServer((incoming, response) => {
    const { pathname, host } = new URL(incoming.url ?? '')
    asked.push(host)
    const onward = request({ port: registry.port, path: pathname, headers: { host } }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    onward.on('error', () => response.destroy()).end()
  }).listen(0, '127.0.0.1')
  await new Promise((done) => proxy.once('listening', done))
  stack.defer(() => void proxy.close())
  const address = proxy.address()
  const HTTP_PROXY = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  const home = stack.use(await makeHome({ npm_config_registry: 'http://registry.example/', HTTP_PROXY }))
  stack.use(await startDaemon(home))
  const started = await thv(home, ['run', `npx://${NAME}@1.0.0`, '--name', 'proxied'])
  expect(started, started.stderr).toMatchObject({ code: 0 })
  expect(new Set(asked)).toEqual(new Set(['registry.example']))
})
