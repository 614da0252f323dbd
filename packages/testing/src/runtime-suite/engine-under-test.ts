import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Runtime } from '@toolhaven/core/ports/runtime'
import type { Engine } from '../testbed/engine.ts'
import { buildFixtureImage } from '../testbed/fixture-image.ts'
import { startImageRegistry } from '../testbed/image-registry.ts'
import type { RuntimeUnderTest } from './session.ts'

/** A container engine as the suite needs it: private, with the fixture as an image and a registry that lacks one. */
export async function engineUnderTest(
  startEngine: () => Promise<Engine>,
  open: (socketPath: string, dockerConfigFolder: string) => Runtime,
): Promise<RuntimeUnderTest> {
  await using opened = new AsyncDisposableStack()
  const engine = opened.use(await startEngine())
  const registry = opened.use(await startImageRegistry())
  const configFolder = await mkdtemp(join(tmpdir(), 'thv-config-'))
  opened.defer(() => rm(configFolder, { recursive: true }))
  await buildFixtureImage(engine, 'docker.io/library/thv-fixture:1')
  const all = opened.move()
  return {
    engineSocket: engine.socketPath,
    runtime: open(engine.socketPath, configFolder),
    fixture: { kind: 'image', reference: 'thv-fixture:1' },
    absent: { kind: 'image', reference: `${registry.host}/nobody/nothing:1` },
    reopen: () => Promise.resolve(open(engine.socketPath, configFolder)),
    unreachable: () => Promise.resolve(open(`${engine.socketPath}.gone`, configFolder)),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}
