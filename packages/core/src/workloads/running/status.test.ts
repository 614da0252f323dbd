import { describe, expect, test } from 'vitest'
import { WORKLOAD_STATUS_NAMES } from '@toolhaven/contract/workload-status'
import { fc } from '@toolhaven/testing/properties'
import type { StoredWorkload } from '../../ports/stores.ts'
import { type Observed, nothingObserved } from './observed.ts'
import { deriveStatus, describeProgress } from './status.ts'

const stored: StoredWorkload = {
  ...{
    asked: {},
    wanted: 'running',
    port: 1,
    createdAt: '2026-01-01T00:00:00Z',
    generation: 2,
    package: 'web',
    profileOrigin: 'request',
  },
  config: {
    schema_version: 'v0.1.0',
    name: 'web',
    transport: 'stdio',
    permission_profile: { network: { outbound: {} } },
  },
}
const status = (part: Partial<Observed>, change: Partial<StoredWorkload> = {}) =>
  deriveStatus({ ...stored, ...change }, { ...nothingObserved(), ...part })
const failure = { message: 'why', isError: true, retryAt: 1 }
const up: Partial<Observed> = { instance: 'running', connected: true, open: true, instanceGeneration: 2 }

describe('the status', () => {
  test.each<[string, Partial<Observed>, Partial<StoredWorkload>, string, string]>([
    ['up and connected', up, {}, 'running', ''],
    ['up from an older configuration', { ...up, instanceGeneration: 1 }, {}, 'starting', ''],
    ['not looked at', {}, {}, 'starting', ''],
    [
      'pulling',
      { progress: { phase: 'pulling', detail: 'web', done: 1, total: 3 } },
      {},
      'starting',
      'pulling web, 33 %',
    ],
    ['failed', { instance: 'absent', failure }, {}, 'error', 'why'],
    [
      'ended and tried again',
      { instance: 'exited', failure: { ...failure, isError: false } },
      {},
      'starting',
      'why; trying again',
    ],
    ['silent', { ...up, failedPings: 3 }, {}, 'unhealthy', 'the server no longer answers and is being restarted'],
    ['out of sight', { instance: 'unknown', runtimeDown: 'no engine' }, {}, 'unknown', 'no engine'],
    ['asked to stop', up, { wanted: 'stopped' }, 'stopping', ''],
    ['asked to stop while it comes up', { instance: 'absent', isComing: true }, { wanted: 'stopped' }, 'stopping', ''],
    ['down as wanted', { instance: 'absent' }, { wanted: 'stopped' }, 'stopped', ''],
    [
      'out of sight while it stops',
      { instance: 'unknown', open: true, runtimeDown: 'no engine' },
      { wanted: 'stopped' },
      'unknown',
      'no engine',
    ],
    ['asked to go', up, { wanted: 'absent' }, 'removing', ''],
    ['gone but for a failure', { instance: 'absent', failure }, { wanted: 'absent' }, 'removing', 'why'],
  ])('of a workload that is %s', (_, part, change, expected, context) => {
    expect(status(part, change)).toEqual({ status: expected, context })
  })

  test('of a running workload says what its permissions do not do', () => {
    expect(status(up, { profileOrigin: 'default' }).context).toContain('every public host is allowed')
    const config = { ...stored.config, isolate_network: true }
    expect(status(up, { config, profileOrigin: 'default' }).context).toBe('')
    const shared = { ...stored.config, network_mode: 'host' as const }
    expect(status(up, { config: shared }).context).toContain('it shares the network of this machine')
  })

  test('says what was refused on the way out, once', () => {
    const blocked = 'blocked: api.example.com:443 is not in allow_host'
    const remark = `${blocked}; "thv learn web" shows a profile that allows it`
    expect(status({ ...up, blocked })).toEqual({ status: 'running', context: remark })
    expect(status({ instance: 'absent', failure, blocked }).context).toBe(`why; ${remark}`)
    const told = { ...failure, message: `it said: ${blocked}`, isError: false }
    expect(status({ instance: 'exited', failure: told, blocked }).context).toBe(`it said: ${remark}; trying again`)
    const inside = 'blocked: in.example:443 does not lead to a public address'
    expect(status({ ...up, blocked: inside }).context).toBe(inside)
    const notTls = (port: number) => status({ ...up, blocked: `blocked: a.example:${port} is only reached with TLS` })
    expect(notTls(80).context).toContain('thv learn web')
    expect(notTls(443).context).not.toContain('thv learn')
  })

  test('is always one of the table', () => {
    const observed = fc.record<Observed>(
      {
        instance: fc.constantFrom<Observed['instance'][]>('unknown', 'absent', 'created', 'running', 'exited'),
        ...{
          open: fc.boolean(),
          connected: fc.boolean(),
          failedPings: fc.nat(4),
          attempts: fc.nat(9),
          instanceGeneration: fc.nat(3),
        },
        failure: fc.record({ message: fc.string(), isError: fc.boolean() }),
        runtimeDown: fc.string(),
      },
      { requiredKeys: ['instance', 'open', 'connected', 'failedPings', 'attempts'] },
    )
    fc.assert(
      fc.property(
        observed,
        fc.constantFrom<StoredWorkload['wanted'][]>('running', 'stopped', 'absent'),
        (seen, wanted) => {
          expect(WORKLOAD_STATUS_NAMES).toContain(deriveStatus({ ...stored, wanted }, seen).status)
        },
      ),
    )
  })
})

test('progress never says more than 100 % and nothing where nothing is known', () => {
  expect(describeProgress({ phase: 'pulling', detail: 'x', done: 9, total: 3 })).toBe('pulling x, 100 %')
  expect(describeProgress({ phase: 'pulling', detail: 'x', done: 9 })).toBe('pulling x')
  expect(describeProgress({ phase: 'pulling', detail: 'x', done: 0, total: 0 })).toBe('pulling x')
  expect(describeProgress({ phase: 'connecting' })).toBe('waiting for the server to answer')
})
