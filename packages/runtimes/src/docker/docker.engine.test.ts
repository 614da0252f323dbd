import { describeRuntime } from '@toolhaven/testing/runtime-suite'
import { engineUnderTest } from '@toolhaven/testing/runtime-suite/engine-under-test'
import { hostileImageCases } from '@toolhaven/testing/runtime-suite/hostile-image-cases'
import type { RuntimeUnderTest } from '@toolhaven/testing/runtime-suite/session'
import { volumeCases } from '@toolhaven/testing/runtime-suite/volume-cases'
import { startDocker } from '@toolhaven/testing/testbed/docker'
import { createEngineClient } from '../engine/engine-client.ts'
import type { Forwarding } from '../engine/forwarding.ts'
import { testIsolation } from '../../test/support/isolation.ts'
import { createDockerRuntime } from './docker-runtime.ts'

describeRuntime('docker', () => dockerUnderTest())
describeRuntime('docker with hostile images', () => dockerUnderTest(), hostileImageCases)
describeRuntime('docker without shared folders', () => dockerUnderTest({ form: 'volumes' }), volumeCases)

function dockerUnderTest(forwarding?: Forwarding): Promise<RuntimeUnderTest> {
  return engineUnderTest(startDocker, (path, dockerConfigFolder) =>
    createDockerRuntime({
      client: createEngineClient('Docker', { kind: 'unix', path }),
      dockerConfigFolder,
      builds: {
        baseImages: {},
        userConfig: () => Promise.resolve({}),
        indexKey: () => Promise.resolve([]),
        proxies: {},
      },
      isolation: testIsolation(dockerConfigFolder),
      ...(forwarding && { forwarding }),
    }),
  )
}
