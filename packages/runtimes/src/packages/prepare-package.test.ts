import { createServer } from 'node:http'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createDockerRuntime } from '../docker/docker-runtime.ts'
import { createEngineClient } from '../engine/engine-client.ts'
import { testIsolation } from '../../test/support/isolation.ts'
import { recipeRenderer } from './recipe-renderer.ts'

test('without a network, a package with an image of another version says why it is not used', async () => {
  await using stack = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'thv-prepare-image-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  let others: object[] = [{ Id: 'sha256:1' }]
  const engine = createServer((request, response) => {
    const path = (request.url ?? '').replace(/^\/v[\d.]+/, '')
    const say = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (path.startsWith('/images/create')) return say(500, { message: 'dial tcp: lookup index: no such host' })
    if (path.startsWith('/images/json'))
      return say(200, decodeURIComponent(path).includes('npx-thv-old"') ? others : [])
    if (path.startsWith('/images/')) return say(404, { message: 'no such image' })
    if (path.startsWith('/version')) return say(200, { Version: '20.10.24', Components: [] })
    return say(200, {})
  })
  await new Promise<void>((done) => engine.listen(join(folder, 's'), done))
  stack.defer(() => void engine.close())
  const runtime = createDockerRuntime({
    client: createEngineClient('Docker', { kind: 'unix', path: join(folder, 's') }),
    dockerConfigFolder: folder,
    isolation: testIsolation(folder),
    builds: { baseImages: {}, userConfig: () => Promise.resolve({}), indexKey: () => Promise.resolve([]), proxies: {} },
  })
  const prepare = () =>
    runtime.prepare(
      { kind: 'package', scheme: 'npx', name: 'thv-old', version: '1.0.0' },
      { pull: 'if-absent', onProgress: () => {} },
      AbortSignal.timeout(60_000),
    )
  await expect(prepare()).rejects.toThrow(/no such host.*not used.*Connect this machine to its package index/)
  others = []
  await expect(prepare()).rejects.not.toThrow('not used')
})

test.each([[], ['index 0123']])('the recipe that is shown has the tag that a build looks for: %j', async (...key) => {
  await using stack = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'thv-recipe-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  const asked: string[] = []
  const engine = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '').replace(/^\/v[\d.]+/, '')
    if (path.startsWith('/images/')) asked.push(path)
    const body = { Id: 'sha256:1', Version: '20.10.24', Components: [], RepoDigests: [] }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  await new Promise<void>((done) => engine.listen(join(folder, 's'), done))
  stack.defer(() => void engine.close())
  const builds = { baseImages: {}, userConfig: () => Promise.resolve({}), indexKey: async () => key, proxies: {} }
  const runtime = createDockerRuntime({
    client: createEngineClient('Docker', { kind: 'unix', path: join(folder, 's') }),
    dockerConfigFolder: folder,
    isolation: testIsolation(folder),
    builds,
  })
  const source = { kind: 'package', scheme: 'npx', name: 'thv-shown', version: '1.0.0' } as const
  const signal = AbortSignal.timeout(60_000)
  await runtime.prepare(source, { pull: 'if-absent', onProgress: () => {} }, signal)
  const { tag } = await recipeRenderer(builds)(source, {}, signal)
  expect(asked).toEqual([`/images/${tag}/json`])
})
