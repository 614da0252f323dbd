import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import type { InstanceSpec } from '@toolhaven/core/ports/runtime'
import { testIsolation } from '../../test/support/isolation.ts'
import { containerNetwork } from './container-network.ts'
import { createEngineClient } from './engine-client.ts'

const SPEC: InstanceSpec = {
  ...{ name: 'thv-x', labels: {}, prepared: { id: 'sha256:abc' }, source: { kind: 'image', reference: 'x' } },
  ...{ args: [], env: {}, mounts: [], network: 'host', stdio: true, limits: {} },
}

const forwarderImage = () => Promise.reject(new Error('nothing is refused too late'))

test.each(['/.toolhaven', '/.toolhaven/forwarder', '//x/../.toolhaven/', `/.toolhaven-${'0'.repeat(32)}/filter`])(
  'nothing is mounted over the program that puts the filter in force: %s',
  async (containerPath) => {
    const client = createEngineClient('Docker', { kind: 'unix', path: '/nowhere' })
    const isolation = testIsolation(tmpdir())
    const deps = { client, isolation, forwarderImage, limitsProcesses: true, forwarding: { form: 'volumes' } } as const
    const spec = { ...SPEC, mounts: [{ hostPath: '/p', containerPath, readOnly: true }] }
    const attempt = containerNetwork(deps, spec, AbortSignal.timeout(5_000))
    await expect(attempt).rejects.toMatchObject({ code: 'invalid', message: expect.stringContaining(containerPath) })
  },
)

test.each([{ form: 'volumes' }, { reason: 'the engine runs on another machine' }] as const)(
  'a server that would listen on the loopback of another machine is refused: %o',
  async (forwarding) => {
    const client = createEngineClient('Docker', { kind: 'unix', path: '/nowhere' })
    const deps = { client, isolation: testIsolation(tmpdir()), forwarderImage, limitsProcesses: true, forwarding }
    const attempt = containerNetwork(deps, { ...SPEC, targetPort: 8000 }, AbortSignal.timeout(5_000))
    await expect(attempt).rejects.toThrow('Leave network_mode out')
  },
)
