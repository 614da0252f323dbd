import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { sample } from '@toolhaven/testing/rotation'
import { buildFixtureImage } from '@toolhaven/testing/testbed/fixture-image'
import { startDocker } from '@toolhaven/testing/testbed/docker'
import type { Engine } from '@toolhaven/testing/testbed/engine'
import { engineMust } from '@toolhaven/testing/testbed/engine-http'
import { startRootlessPodman } from '@toolhaven/testing/testbed/rootless-podman'
import { Unavailable } from '@toolhaven/testing/testbed/unavailable'
import { createDockerRuntime } from '../docker/docker-runtime.ts'
import { testIsolation } from '../../test/support/isolation.ts'
import { createPodmanRuntime } from '../podman/podman-runtime.ts'
import { createEngineClient } from './engine-client.ts'

const ENGINES = [
  { name: 'docker', startEngine: startDocker, createRuntime: createDockerRuntime },
  { name: 'rootless podman', startEngine: startRootlessPodman, createRuntime: createPodmanRuntime },
] as const
const FIXTURE = 'docker.io/library/thv-fixture:1'
const imagesSchema = z.array(z.looseObject({ Id: z.string() }))

describe.each(sample(ENGINES, 1))('the image of the forwarder on $name', ({ name, startEngine, createRuntime }) => {
  test('workloads that start at once leave one, and it is found again', async (context) => {
    await using stack = new AsyncDisposableStack()
    const engine = await startEngine().catch((error: unknown) => {
      if (error instanceof Unavailable) return context.skip(error.message)
      throw error
    })
    stack.use(engine)
    await buildFixtureImage(engine, FIXTURE)
    const folder = await mkdtemp(join(tmpdir(), 'thv-forwarder-image-'))
    stack.defer(() => rm(folder, { recursive: true, force: true }))
    const indexKey = () => Promise.resolve([])
    const runtime = stack.use(
      createRuntime({
        client: createEngineClient(name, { kind: 'unix', path: engine.socketPath }),
        dockerConfigFolder: folder,
        isolation: testIsolation(folder),
        builds: { baseImages: {}, userConfig: () => Promise.resolve({}), indexKey, proxies: {} },
      }),
    )
    const signal = AbortSignal.timeout(240_000)
    const source = { kind: 'image', reference: FIXTURE } as const
    const prepared = await runtime.prepare(source, { pull: 'never', onProgress: () => {} }, signal)
    const create = (instance: string) =>
      runtime.create(
        {
          ...{ name: instance, labels: { toolhaven: 'true' }, prepared, source, args: [], env: {}, mounts: [] },
          // A server on a port without any way out needs a forwarder, and no gate.
          ...{ network: 'none', targetPort: 8000, stdio: false, limits: {} },
        },
        signal,
      )
    const before = await imagesOn(engine)
    const made = await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map((letter) => create(`thv-at-once-${letter}`)))
    const after = await imagesOn(engine)
    expect(after.filter((id) => !before.includes(id))).toHaveLength(1)
    made.push(await create('thv-at-once-later'))
    expect(await imagesOn(engine)).toEqual(after)
    for (const handle of made) await runtime.remove(handle, signal)
  })
})

/** Includes images without a name. */
async function imagesOn({ socketPath }: Engine): Promise<string[]> {
  const images = imagesSchema.parse(JSON.parse(await engineMust(socketPath, 'GET', '/images/json?all=true')))
  return images.map(({ Id }) => Id).toSorted()
}
