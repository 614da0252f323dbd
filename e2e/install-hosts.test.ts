import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startPackageRegistry } from '@toolhaven/testing/testbed/package-registry'
import { startDaemon } from './src/daemon-process.ts'
import { writeFixturePackage } from './src/fixture-package.ts'
import { usePlatform } from './src/platform.ts'
import { thv } from './src/thv.ts'

const platform = usePlatform('process')
const NAME = 'thv-downloading'

/** A package whose install script downloads something and fails without it, and where it downloads from. */
async function offerPackage(stack: AsyncDisposableStack): Promise<{ place: string; registry: string }> {
  const server = createServer((_request, response) => response.end('a driver')).listen(0, '127.0.0.1')
  await new Promise((done) => server.once('listening', done))
  stack.defer(() => void server.close())
  const address = server.address()
  const place = `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  const folder = await mkdtemp(join(tmpdir(), 'thv-install-hosts-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  await mkdir(folder, { recursive: true })
  await writeFixturePackage(join(folder, NAME), NAME)
  const manifest = { name: NAME, version: '1.0.0', type: 'module', bin: { [NAME]: 'fixture-server.mjs' } }
  const scripts = { postinstall: 'node download.mjs' }
  await writeFile(join(folder, NAME, 'package.json'), JSON.stringify({ ...manifest, scripts }))
  const download = `const answer = await fetch('http://${place}/')\nprocess.exit(answer.ok ? 0 : 1)\n`
  await writeFile(join(folder, NAME, 'download.mjs'), download)
  return { place, registry: stack.use(await startPackageRegistry([join(folder, NAME)])).url }
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
  expect(refused.stderr).toContain(`--install-host ${place} (install_hosts)`)
  const log = await thv(home, ['logs', 'downloading'])
  expect(log.stdout).toContain(`install: blocked: ${place}`)

  await thv(home, ['rm', 'downloading'])
  const allowed = await run('--install-host', place)
  expect(allowed, allowed.stderr).toMatchObject({ code: 0 })
  const exported = await thv(home, ['export', 'downloading'])
  expect(exported.stdout, exported.stderr).toContain(place)
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
