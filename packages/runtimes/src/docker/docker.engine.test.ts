import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describeRuntime } from '@toolhaven/testing/runtime-suite'
import { startDocker } from '@toolhaven/testing/testbed/docker'
import { buildFixtureImage } from '@toolhaven/testing/testbed/fixture-image'
import { startImageRegistry } from '@toolhaven/testing/testbed/image-registry'
import { createEngineClient } from '../engine/engine-client.ts'
import { createDockerRuntime } from './docker-runtime.ts'

describeRuntime('docker', async () => {
  const engine = await startDocker()
  const registry = await startImageRegistry()
  await buildFixtureImage(engine, 'thv-fixture:1')
  const dockerConfigFolder = await mkdtemp(join(tmpdir(), 'thv-config-'))
  const open = (path: string) =>
    createDockerRuntime({
      client: createEngineClient('Docker', { kind: 'unix', path }),
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
