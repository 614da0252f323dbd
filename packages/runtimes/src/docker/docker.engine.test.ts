import { describeRuntime } from '@toolhaven/testing/runtime-suite'
import { engineUnderTest } from '@toolhaven/testing/runtime-suite/engine-under-test'
import { startDocker } from '@toolhaven/testing/testbed/docker'
import { createEngineClient } from '../engine/engine-client.ts'
import { testIsolation } from '../isolation/test-isolation.ts'
import { createDockerRuntime } from './docker-runtime.ts'

describeRuntime('docker', () =>
  engineUnderTest(startDocker, (path, dockerConfigFolder) =>
    createDockerRuntime({
      client: createEngineClient('Docker', { kind: 'unix', path }),
      dockerConfigFolder,
      builds: { baseImages: {}, userConfig: () => Promise.resolve({}), buildArgs: {} },
      isolation: testIsolation(dockerConfigFolder),
    }),
  ),
)
