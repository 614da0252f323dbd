import { mkdtempSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test, vi, type TestContext } from 'vitest'
import { z } from 'zod'
import type { Prepared, Progress, Runtime } from '@toolhaven/core/ports/runtime'
import { sample, slowed } from '@toolhaven/testing/rotation'
import { FIXTURE_PACKAGE, writeFixturePackage } from '@toolhaven/testing/runtime-suite/fixture-package'
import { startSession } from '@toolhaven/testing/runtime-suite/session'
import { buildBaseImages, type BaseImage } from '@toolhaven/testing/testbed/base-images'
import { startDocker } from '@toolhaven/testing/testbed/docker'
import type { Engine } from '@toolhaven/testing/testbed/engine'
import { engineMust } from '@toolhaven/testing/testbed/engine-http'
import { startPackageRegistry } from '@toolhaven/testing/testbed/package-registry'
import { startRootlessPodman } from '@toolhaven/testing/testbed/rootless-podman'
import { Unavailable } from '@toolhaven/testing/testbed/unavailable'
import { testIsolation } from '../../test/support/isolation.ts'
import { createDockerRuntime } from '../docker/docker-runtime.ts'
import { createEngineClient } from '../engine/engine-client.ts'
import { UNUSED_ID } from '../engine/package-user.ts'
import { createPodmanRuntime } from '../podman/podman-runtime.ts'
import { DEFAULT_BASE_IMAGES, type PackageSource } from './package-image.ts'

/** In the checks before a commit, one engine and one kind of package at a time. */
const BASES = sample<BaseImage>(['node', 'python', 'golang'], 1, slowed(2))
const ENGINES = [
  { name: 'docker', startEngine: startDocker, createRuntime: createDockerRuntime },
  { name: 'rootless podman', startEngine: startRootlessPodman, createRuntime: createPodmanRuntime },
] as const
const NPM_SERVER: PackageSource = { kind: 'package', scheme: 'npx', name: 'time-mcp', version: '1.0.6' }
const PYTHON_TOOL: PackageSource = { kind: 'package', scheme: 'uvx', name: 'pycowsay', version: '0.0.0.2' }
const GO_TOOL: PackageSource = {
  kind: 'package',
  scheme: 'go',
  name: 'golang.org/x/example/hello',
  version: 'v0.0.0-20250915201037-7f05d217867b',
}

describe.each(sample(ENGINES, 1))('packages on $name', ({ name, startEngine, createRuntime }) => {
  const opened = new AsyncDisposableStack()
  const isolationFolder = mkdtempSync(join(tmpdir(), 'thv-packages-'))
  opened.defer(() => rm(isolationFolder, { recursive: true, force: true }))
  let engine: Engine | undefined
  let missing = ''
  beforeAll(async () => {
    try {
      engine = opened.use(await startEngine())
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error
      missing = error.message
    }
  })
  afterAll(() => opened.disposeAsync())

  const withBase = (base: BaseImage, title: string, body: (engine: Engine) => Promise<void>) => {
    if (!BASES.includes(base)) return
    test(title, async (context: TestContext) => {
      const skip = (reason: string) => {
        process.stderr.write(`skipped: packages on ${name}: ${title}: ${reason}\n`)
        return context.skip(reason)
      }
      if (engine === undefined) return skip(missing)
      try {
        await buildBaseImages(engine, [base])
      } catch (error) {
        if (error instanceof Unavailable) return skip(error.message)
        throw error
      }
      await body(engine)
    })
  }
  const open = (at: Engine, npmrc = '') =>
    createRuntime({
      client: createEngineClient(name, { kind: 'unix', path: at.socketPath }),
      dockerConfigFolder: tmpdir(),
      isolation: testIsolation(isolationFolder),
      builds: {
        baseImages: DEFAULT_BASE_IMAGES,
        userConfig: () => Promise.resolve({ npmrc }),
        indexKey: () => Promise.resolve([]),
        proxies: {},
      },
    })

  withBase('node', 'a real server from npm is built once, speaks MCP, and is found the second time', async (at) => {
    const runtime = open(at)
    const seen: Progress[][] = [[], []]
    const [first, twin] = await Promise.all(seen.map((list) => prepare(runtime, NPM_SERVER, list)))
    expect(twin?.id).toBe(first?.id)
    const builds = seen.map((list) => list.filter((step) => step.phase === 'building'))
    // Whichever of them came first.
    const [steps = [], ...more] = builds.filter((list) => list.length > 0)
    expect(more).toEqual([])
    expect(steps.length).toBeGreaterThan(1)
    expect(steps.map((step) => step.done)).toEqual(steps.map((_, i) => i))
    expect(new Set(steps.map((step) => step.total)).size).toBe(1)
    const again: Progress[] = []
    expect((await prepare(open(at), NPM_SERVER, again)).id).toBe(first?.id)
    expect(again).toEqual([])
    expect(await askServer(runtime, NPM_SERVER)).toMatchObject({ result: { serverInfo: { name: expect.any(String) } } })
  })

  withBase('node', 'a package nobody published is not found and named', async (at) => {
    const ghost: PackageSource = { ...NPM_SERVER, version: '0.0.0-nobody' }
    await expect(prepare(open(at), ghost, [])).rejects.toMatchObject({
      code: 'not-found',
      message: expect.stringContaining('time-mcp 0.0.0-nobody'),
    })
  })

  withBase('python', 'a Python package runs its own command', async (at) => {
    expect(await output(open(at), PYTHON_TOOL, ['hello', 'there'])).toContain('hello there')
  })

  withBase('golang', 'a Go package becomes a static program', async (at) => {
    expect(await output(open(at), GO_TOOL, ['haven'])).toContain('Hello, haven!')
  })

  if (name === 'docker') {
    withBase(
      'node',
      "the user's npm registry and token are used and leave no trace; the root is read-only",
      async (at) => {
        await using stack = new AsyncDisposableStack()
        const folder = await mkdtemp(join(tmpdir(), 'thv-package-'))
        stack.defer(() => rm(folder, { recursive: true }))
        await writeFixturePackage(folder)
        const token = 'npm_canary0123456789'
        const registry = stack.use(await startPackageRegistry([folder], { token, host: await gateway(at) }))
        const npmrc = `registry=${registry.url}\n${registry.url.replace('http:', '')}:_authToken=${token}\n`
        const source: PackageSource = { kind: 'package', scheme: 'npx', ...FIXTURE_PACKAGE }
        const runtime = open(at, npmrc)
        const session = await startSession({
          runtime,
          fixture: source,
          absent: source,
          reopen: () => Promise.resolve(runtime),
          [Symbol.asyncDispose]: () => Promise.resolve(),
        })
        expect(registry.requests).toContain(`/${FIXTURE_PACKAGE.name}`)
        expect((await session.run(['write', '/etc/x'])).stdout).toBe('EROFS\n')
        expect((await session.run(['write', '/app/x'])).stdout).toBe('EROFS\n')
        expect((await session.run(['write', '/tmp/x'])).stdout).toBe('written\n')
        expect(JSON.parse((await session.run(['facts'])).stdout)).toMatchObject({
          uid: process.getuid?.() || UNUSED_ID,
          capEff: '0'.repeat(16),
        })
        expect((await exported(at, session.prepared.id)).includes(token)).toBe(false)
        const unnamed = await engineMust(
          at.socketPath,
          'GET',
          `/images/json?all=true&filters=${encodeURIComponent('{"label":["toolhaven-build"]}')}`,
        )
        expect(JSON.parse(unnamed)).toEqual([])
      },
    )
  }
})

async function prepare(runtime: Runtime, source: PackageSource, seen: Progress[]): Promise<Prepared> {
  // Machines behind a proxy that signs again need its certificate inside as well.
  const caFile = process.env['NODE_EXTRA_CA_CERTS']
  const ca = caFile === undefined ? {} : { caCertificate: await readFile(caFile, 'utf8') }
  return runtime.prepare(
    source,
    { pull: 'if-absent', ...ca, onProgress: (step) => seen.push(step) },
    AbortSignal.timeout(280_000),
  )
}

async function start(runtime: Runtime, source: PackageSource, args: string[]) {
  const prepared = await prepare(runtime, source, [])
  const signal = AbortSignal.timeout(60_000)
  const name = `thv-package-${Date.now()}`
  const spec = {
    name,
    labels: { toolhaven: 'true' },
    prepared,
    source,
    args,
    env: {},
    mounts: [],
    network: 'none',
    stdio: true,
    limits: {},
  } as const
  const handle = await runtime.create(spec, signal)
  const channel = await runtime.attach(handle, signal)
  let text = ''
  channel.onStdout = (chunk) => (text += Buffer.from(chunk).toString())
  channel.onStderr = (chunk) => (text += Buffer.from(chunk).toString())
  const closed = new Promise<void>((resolve) => (channel.onClose = () => resolve()))
  await runtime.start(handle, signal)
  return { channel, closed, text: () => text, remove: () => runtime.remove(handle, signal) }
}

async function output(runtime: Runtime, source: PackageSource, args: string[]): Promise<string> {
  const started = await start(runtime, source, args)
  await started.closed
  await started.remove()
  return started.text()
}

async function askServer(runtime: Runtime, source: PackageSource): Promise<unknown> {
  const server = await start(runtime, source, [])
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
  await server.channel.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`)
  const line = await vi.waitUntil(
    () =>
      server
        .text()
        .split('\n')
        .find((text) => text.includes('serverInfo')),
    { timeout: 30_000 },
  )
  await server.remove()
  return JSON.parse(z.string().parse(line))
}

async function gateway(engine: Engine): Promise<string> {
  const schema = z.looseObject({ IPAM: z.looseObject({ Config: z.array(z.looseObject({ Gateway: z.string() })) }) })
  const network = schema.parse(JSON.parse(await engineMust(engine.socketPath, 'GET', '/networks/bridge')))
  return z.string().parse(network.IPAM.Config[0]?.Gateway)
}

/** Every layer of an image, unpacked far enough to search for a text. */
async function exported(engine: Engine, id: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    request({ socketPath: engine.socketPath, path: `/images/${id}/get` }, (response) =>
      buffer(response).then(resolve, reject),
    ).end()
  })
}
