import { describeRuntime } from '@toolhaven/testing/runtime-suite'
import { engineUnderTest } from '@toolhaven/testing/runtime-suite/engine-under-test'
import { startRootlessPodman } from '@toolhaven/testing/testbed/rootless-podman'
import { createEngineClient } from '../engine/engine-client.ts'
import { createPodmanRuntime } from './podman-runtime.ts'

describeRuntime('rootless podman', () =>
  engineUnderTest(startRootlessPodman, (path, dockerConfigFolder) =>
    createPodmanRuntime({
      client: createEngineClient('Podman', { kind: 'unix', path }),
      dockerConfigFolder,
      builds: { baseImages: {}, userConfig: () => Promise.resolve({}), buildArgs: {} },
    }),
  ),
)
