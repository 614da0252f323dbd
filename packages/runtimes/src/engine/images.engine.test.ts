import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, type TestContext } from 'vitest'
import { z } from 'zod'
import type { Progress, Runtime } from '@toolhaven/core/ports/runtime'
import { importImage } from '@toolhaven/testing/testbed/base-images'
import { startDocker } from '@toolhaven/testing/testbed/docker'
import type { Engine } from '@toolhaven/testing/testbed/engine'
import { engineMust } from '@toolhaven/testing/testbed/engine-http'
import { pushImage, startImageRegistry, type ImageRegistry } from '@toolhaven/testing/testbed/image-registry'
import { startRootlessPodman } from '@toolhaven/testing/testbed/rootless-podman'
import { Unavailable } from '@toolhaven/testing/testbed/unavailable'
import { testIsolation } from '../../test/support/isolation.ts'
import { createDockerRuntime } from '../docker/docker-runtime.ts'
import { createPodmanRuntime } from '../podman/podman-runtime.ts'
import { createEngineClient } from './engine-client.ts'

const LOGIN = { username: 'puller', password: 'p4ss:word' }
const ENGINES = [
  { name: 'docker', startEngine: startDocker, createRuntime: createDockerRuntime },
  { name: 'rootless podman', startEngine: startRootlessPodman, createRuntime: createPodmanRuntime },
] as const

interface Scene {
  engine: Engine
  registry: ImageRegistry
  locked: ImageRegistry
  folder: string
  runtime: Runtime
}

describe.each(ENGINES)('images of $name', ({ name, startEngine, createRuntime }) => {
  const opened = new AsyncDisposableStack()
  let scene: Scene | undefined
  let missing = ''
  beforeAll(async () => {
    try {
      const engine = opened.use(await startEngine())
      const registry = opened.use(await startImageRegistry())
      const locked = opened.use(await startImageRegistry(LOGIN))
      const folder = await mkdtemp(join(tmpdir(), 'thv-images-'))
      opened.defer(() => rm(folder, { recursive: true }))
      const client = createEngineClient(name, { kind: 'unix', path: engine.socketPath })
      const builds = {
        baseImages: {},
        userConfig: () => Promise.resolve({}),
        indexKey: () => Promise.resolve([]),
        proxies: {},
      }
      scene = {
        engine,
        registry,
        locked,
        folder,
        runtime: createRuntime({ client, dockerConfigFolder: folder, builds, isolation: testIsolation(folder) }),
      }
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error
      missing = error.message
      process.stderr.write(`skipped: images of ${name}: ${missing}\n`)
    }
  })
  afterAll(() => opened.disposeAsync())

  const inScene = (title: string, body: (scene: Scene) => Promise<void>) =>
    test(title, async (context: TestContext) => {
      if (scene === undefined) return context.skip(missing)
      await body(scene)
    })

  inScene('an image is pulled with progress in bytes and its digest told', async ({ engine, registry, runtime }) => {
    const reference = `${registry.host}/team/pulled:1`
    await publish(engine, reference, 24 << 20)
    await removeImage(engine, reference)
    const seen: Progress[] = []
    const prepared = await prepare(runtime, reference, 'if-absent', seen)
    expect(prepared.digest).toBe(await remoteDigest(reference))
    expect(prepared.id).toMatch(/^sha256:[0-9a-f]{64}$/)
    expect(seen[0]).toMatchObject({ phase: 'pulling', detail: reference })
    const done = seen.flatMap((step) => (step.done === undefined ? [] : [step.done]))
    expect(done).toEqual(done.toSorted((a, b) => a - b))
    // Podman reports layers, not bytes.
    if (name === 'docker') expect(done.at(-1)).toBeGreaterThanOrEqual(24 << 20)
  })

  inScene('a local image is used without asking the registry', async ({ engine, registry, runtime }) => {
    const reference = `${registry.host}/team/never-pushed:1`
    await importBlob(engine, reference, 1024)
    const seen: Progress[] = []
    expect((await prepare(runtime, reference, 'if-absent', seen)).id).toMatch(/^sha256:/)
    expect(seen).toEqual([])
  })

  inScene('a moved tag is seen with "always" and ignored with "if-absent"', async ({ engine, registry, runtime }) => {
    const reference = `${registry.host}/team/moved:1`
    await publish(engine, reference, 1024)
    const before = await prepare(runtime, reference, 'always')
    await publish(engine, reference, 2048)
    const remote = await remoteDigest(reference)
    await engineMust(engine.socketPath, 'POST', `/images/${before.id}/tag?repo=${registry.host}/team/moved&tag=1`)
    expect((await prepare(runtime, reference, 'if-absent')).id).toBe(before.id)
    const seen: Progress[] = []
    const after = await prepare(runtime, reference, 'always', seen)
    // A pull that failed would leave the local copy in use, and would say so.
    expect(seen.filter(({ phase }) => phase === 'resolving')).toEqual([])
    expect(after.digest).toBe(remote)
    expect(after.id).not.toBe(before.id)
  })

  inScene('a digest pins the image', async ({ engine, registry, runtime }) => {
    const reference = `${registry.host}/team/pinned:1`
    await publish(engine, reference, 1024)
    const digest = await remoteDigest(reference)
    await removeImage(engine, reference)
    const pinned = await prepare(runtime, `${registry.host}/team/pinned@${digest}`, 'if-absent')
    expect(pinned.digest).toBe(digest)
  })

  inScene('the beginning of an id names no image', async ({ engine, runtime }) => {
    await importBlob(engine, 'docker.io/library/thv-numbered:1', 1024)
    const { id } = await prepare(runtime, 'thv-numbered:1', 'never')
    const digits = id.replace('sha256:', '')
    for (const text of [digits.slice(0, 6), digits.slice(0, 63), digits, id.slice(0, 20)])
      await expect(prepare(runtime, text, 'never')).rejects.toMatchObject({ code: 'not-found' })
    expect((await prepare(runtime, id, 'never')).id).toBe(id)
    // A reference made of digits is a name if an image has it, whatever id it matches.
    for (const name of [`docker.io/library/${digits.slice(0, 6)}:latest`, 'docker.io/library/cafe:latest']) {
      await importBlob(engine, name, 2048)
      const named = await prepare(runtime, name.replace(/^.*\/(.*):latest$/, '$1'), 'never')
      expect(named.id).toBe((await prepare(runtime, name, 'never')).id)
      expect(named.id).not.toBe(id)
    }
  })

  inScene('an absent image is not found and named', async ({ registry, runtime }) => {
    const reference = `${registry.host}/team/absent:9`
    await expect(prepare(runtime, reference, 'if-absent')).rejects.toMatchObject({
      code: 'not-found',
      message: expect.stringContaining(reference),
    })
  })

  inScene('"always" falls back to the local copy when the registry is away', async ({ engine, runtime }) => {
    const reference = '127.0.0.1:1/team/offline:1'
    await importBlob(engine, reference, 1024)
    expect((await prepare(runtime, reference, 'always')).id).toMatch(/^sha256:/)
  })

  inScene(
    'a registry that wants a login gets the one of the Docker configuration',
    async ({ engine, locked, runtime, folder }) => {
      const reference = `${locked.host}/team/private:1`
      await importBlob(engine, reference, 1024)
      await pushImage(engine, reference, LOGIN)
      await removeImage(engine, reference)
      const refused = prepare(runtime, reference, 'if-absent')
      await expect(refused).rejects.toMatchObject({
        code: 'invalid',
        message: expect.stringContaining(`docker login ${locked.host}`),
      })
      const login = (text: string) =>
        writeFile(
          join(folder, 'config.json'),
          JSON.stringify({ auths: { [locked.host]: { auth: Buffer.from(text).toString('base64') } } }),
        )
      await login('puller:wrong')
      const wrong = await prepare(runtime, reference, 'if-absent').catch((error: unknown) => error)
      expect(wrong).toMatchObject({ code: 'invalid' })
      expect(String(wrong)).not.toContain('wrong')
      await login(`${LOGIN.username}:${LOGIN.password}`)
      expect((await prepare(runtime, reference, 'if-absent')).digest).toMatch(/^sha256:/)
      await rm(join(folder, 'config.json'))
    },
  )

  inScene('a pull can be called off', async ({ registry, runtime }) => {
    const stop = new AbortController()
    const onProgress = () => stop.abort(new Error('called off'))
    const attempt = runtime.prepare(
      { kind: 'image', reference: `${registry.host}/team/pulled:1` },
      { pull: 'always', onProgress },
      stop.signal,
    )
    await expect(attempt).rejects.toThrow('called off')
  })
})

function prepare(runtime: Runtime, reference: string, pull: 'if-absent' | 'always' | 'never', seen: Progress[] = []) {
  return runtime.prepare(
    { kind: 'image', reference },
    { pull, onProgress: (step) => seen.push(step) },
    AbortSignal.timeout(120_000),
  )
}

async function publish(engine: Engine, reference: string, bytes: number): Promise<void> {
  await importBlob(engine, reference, bytes)
  await pushImage(engine, reference)
}

/** A unique image: random bytes that no layer cache knows. */
async function importBlob(engine: Engine, reference: string, bytes: number): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'thv-blob-'))
  await writeFile(join(folder, 'blob'), randomBytes(bytes))
  execFileSync('tar', ['-C', folder, '-cf', join(folder, 'blob.tar'), 'blob'])
  await importImage(engine, join(folder, 'blob.tar'), { reference, changes: ['CMD ["/blob"]'] })
  await rm(folder, { recursive: true })
}

async function removeImage(engine: Engine, reference: string): Promise<void> {
  await engineMust(engine.socketPath, 'DELETE', `/images/${reference}?force=true`)
}

async function remoteDigest(reference: string): Promise<string> {
  const [, host, repository, tag] = /^([^/]+)\/(.+):([^:]+)$/.exec(reference) ?? []
  const accept = 'application/vnd.docker.distribution.manifest.v2+json, application/vnd.oci.image.manifest.v1+json'
  const response = await fetch(`http://${host}/v2/${repository}/manifests/${tag}`, {
    method: 'HEAD',
    headers: { accept },
  })
  return z.string().parse(response.headers.get('docker-content-digest'))
}
