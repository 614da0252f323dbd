import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describeRuntime } from '@toolhaven/testing/runtime-suite'
import { buildFixtureImage } from '@toolhaven/testing/testbed/fixture-image'
import { startImageRegistry } from '@toolhaven/testing/testbed/image-registry'
import { startRootlessPodman } from '@toolhaven/testing/testbed/rootless-podman'
import { createEngineClient } from '../engine/engine-client.ts'
import { createPodmanRuntime } from './podman-runtime.ts'

describeRuntime('rootless podman', async () => {
  const engine = await startRootlessPodman()
  const registry = await startImageRegistry()
  await buildFixtureImage(engine, 'docker.io/library/thv-fixture:1')
  const dockerConfigFolder = await mkdtemp(join(tmpdir(), 'thv-config-'))
  const open = (path: string) =>
    createPodmanRuntime({
      client: createEngineClient('Podman', { kind: 'unix', path }),
      dockerConfigFolder,
      builds: { baseImages: {}, userConfig: () => Promise.resolve({}), buildArgs: {} },
    })
  return {
    runtime: open(engine.socketPath),
    fixture: { kind: 'image', reference: 'thv-fixture:1' },
    absent: { kind: 'image', reference: `${registry.host}/nobody/nothing:1` },
    reopen: () => Promise.resolve(open(engine.socketPath)),
    unreachable: () => Promise.resolve(open(`${engine.socketPath}.gone`)),
    async [Symbol.asyncDispose]() {
      await registry[Symbol.asyncDispose]()
      await engine[Symbol.asyncDispose]()
    },
  }
})
