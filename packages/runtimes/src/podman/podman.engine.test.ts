import { chown, stat } from 'node:fs/promises'
import { describeRuntime } from '@toolhaven/testing/runtime-suite'
import { engineUnderTest } from '@toolhaven/testing/runtime-suite/engine-under-test'
import { hostileImageCases } from '@toolhaven/testing/runtime-suite/hostile-image-cases'
import type { RuntimeUnderTest } from '@toolhaven/testing/runtime-suite/session'
import { volumeCases } from '@toolhaven/testing/runtime-suite/volume-cases'
import { startRootlessPodman } from '@toolhaven/testing/testbed/rootless-podman'
import { createEngineClient } from '../engine/engine-client.ts'
import type { Forwarding } from '../engine/forwarding.ts'
import { testIsolation } from '../../test/support/isolation.ts'
import { createPodmanRuntime } from './podman-runtime.ts'

describeRuntime('rootless podman', () => podmanUnderTest())
describeRuntime('rootless podman with hostile images', () => podmanUnderTest(), hostileImageCases)
describeRuntime('rootless podman without shared folders', () => podmanUnderTest({ form: 'volumes' }), volumeCases)

async function podmanUnderTest(forwarding?: Forwarding): Promise<RuntimeUnderTest> {
  let folder = ''
  let socketPath = ''
  const under = await engineUnderTest(startRootlessPodman, (path, dockerConfigFolder) => {
    if (folder === '') [folder, socketPath] = [dockerConfigFolder, path]
    return createPodmanRuntime({
      client: createEngineClient('Podman', { kind: 'unix', path }),
      dockerConfigFolder,
      builds: {
        baseImages: {},
        userConfig: () => Promise.resolve({}),
        indexKey: () => Promise.resolve([]),
        proxies: {},
      },
      isolation: testIsolation(dockerConfigFolder),
      ...(forwarding && { forwarding }),
    })
  })
  // The daemon of a rootless engine runs as the engine's own user, and so do these tests.
  const { uid, gid } = await stat(socketPath)
  await chown(folder, uid, gid)
  const home = { uid: process.geteuid?.(), gid: process.getegid?.() }
  const become = (user: typeof home) => {
    // The user last when rights are dropped and first when they come back: only root may change the group.
    if (user.uid === 0) process.seteuid?.(0)
    process.setegid?.(user.gid ?? 0)
    process.seteuid?.(user.uid ?? 0)
  }
  become({ uid, gid })
  return {
    ...under,
    async [Symbol.asyncDispose]() {
      become(home)
      await under[Symbol.asyncDispose]()
    },
  }
}
