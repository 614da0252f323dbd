import { APPLY_LABEL, type Manifest, manifest as schema } from '@toolhaven/contract/manifest'
import type { CreateRequest } from '@toolhaven/contract/workload-request'
import type { Workload } from '@toolhaven/contract/workloads'
import { describe, expect, it } from 'vitest'
import type { CurrentState, CurrentWorkload } from './current-state.ts'
import { planChanges } from './plan-changes.ts'
import { updateOf, workloadDifferences } from './workload-differences.ts'

const file = (fields: object = {}): Manifest => schema.parse({ format: 1, ...fields })
const empty: CurrentState = {
  groups: ['default'],
  registry: { type: 'default', source: '' },
  workloads: [],
  clients: [],
}

const record = (name: string, fields: Partial<Workload> = {}): Workload => ({
  ...{ name, group: 'default', status: 'running', status_context: '', port: 9000, url: '', package: '' },
  ...{
    tool_type: 'mcp',
    transport_type: 'stdio',
    proxy_mode: 'streamable-http',
    remote: false,
    tools: [],
    labels: {},
    created_at: '2026-01-01T00:00:00Z',
    ...fields,
  },
})
const workload = (request: CreateRequest, fields: Partial<Workload> = {}): CurrentWorkload => ({
  record: record(request.name ?? '', fields),
  asked: { request, hidden_headers: [] },
})
const brief = (changes: ReturnType<typeof planChanges>) =>
  changes.map(({ action, kind, name }) => `${action} ${kind} ${name}`)

describe('planChanges', () => {
  it('makes what is missing, groups first, then the registry, workloads and clients', () => {
    const wanted = file({
      clients: [{ name: 'cursor', groups: ['research'] }],
      workloads: [{ name: 'time', image: 'time', group: 'research' }],
      groups: ['research'],
      registry: { url: 'https://example.com/r.json' },
    })
    expect(brief(planChanges(wanted, empty, 'nothing'))).toEqual([
      'create group research',
      'update registry default',
      'create workload time',
      'create client Cursor',
    ])
  })

  it('finds nothing to do when everything is as the file says, however it is spelled', () => {
    const wanted = file({
      groups: ['default'],
      registry: {},
      workloads: [
        { name: 'time', image: 'time', group: 'default', host: '127.0.0.1', tools: [], env_vars: { B: '1', A: '2' } },
      ],
      clients: [{ name: 'roo-code' }],
    })
    const state: CurrentState = {
      ...empty,
      workloads: [
        workload({ name: 'time', image: 'time', env_vars: { A: '2', B: '1' }, labels: { [APPLY_LABEL]: 'x' } }),
      ],
      clients: [{ name: 'RooCode', groups: ['default'] }],
    }
    expect(planChanges(wanted, state, 'nothing')).toEqual([])
  })

  it('changes what differs, replaces for another port and starts what is stopped', () => {
    const wanted = file({
      workloads: [
        { name: 'a', image: 'x', tools: ['echo'] },
        { name: 'b', image: 'x', proxy_port: 9100 },
        { name: 'c', image: 'x', proxy_port: 9000 },
      ],
    })
    const state = {
      ...empty,
      workloads: [
        workload({ name: 'a', image: 'x', volumes: ['/a:/a'] }),
        workload({ name: 'b', image: 'x' }),
        workload({ name: 'c', image: 'x' }, { status: 'stopped' }),
      ],
    }
    expect(planChanges(wanted, state, 'nothing')).toEqual([
      {
        action: 'update',
        kind: 'workload',
        name: 'a',
        fields: [
          { field: 'tools', to: ['echo'] },
          { field: 'volumes', from: ['/a:/a'] },
        ],
      },
      { action: 'replace', kind: 'workload', name: 'b', fields: [{ field: 'proxy_port', from: 9000, to: 9100 }] },
      { action: 'start', kind: 'workload', name: 'c', fields: [] },
    ])
  })

  it('removes only what it may: nothing, what this file made, or all that the file does not name', () => {
    const state: CurrentState = {
      ...empty,
      groups: ['default', 'old'],
      workloads: [
        { record: record('mine', { labels: { [APPLY_LABEL]: 'toolhaven' } }) },
        { record: record('theirs', { labels: { [APPLY_LABEL]: 'other' } }) },
        { record: record('manual') },
      ],
      clients: [{ name: 'Cursor', groups: ['default'] }],
    }
    expect(planChanges(file(), state, 'nothing')).toEqual([])
    expect(brief(planChanges(file(), state, 'own'))).toEqual(['remove workload mine'])
    expect(brief(planChanges(file(), state, 'all'))).toEqual([
      'remove client Cursor',
      'remove workload mine',
      'remove workload theirs',
      'remove workload manual',
      'remove group old',
    ])
  })

  it('makes the groups of a named client exactly those of the file', () => {
    const state: CurrentState = { ...empty, clients: [{ name: 'Cursor', groups: ['default'] }] }
    const wanted = file({ groups: ['research'], clients: [{ name: 'Cursor', groups: ['research'] }] })
    expect(planChanges(wanted, state, 'nothing').at(-1)).toEqual({
      action: 'update',
      kind: 'client',
      name: 'Cursor',
      fields: [{ field: 'groups', from: ['default'], to: ['research'] }],
    })
  })
})

describe('workloadDifferences', () => {
  it('names changed variables and headers and never shows their values', () => {
    const wanted = {
      name: 'a',
      image: 'x',
      env_vars: { SAME: '1', KEY: 'new-key' },
      headers: { Authorization: 'hidden', X: 'y' },
    }
    const asked = {
      request: { name: 'a', image: 'x', env_vars: { SAME: '1', KEY: 'old-key', GONE: '' } },
      hidden_headers: ['authorization'],
    }
    const fields = workloadDifferences(wanted, asked)
    expect(fields).toEqual([{ field: 'env_vars.GONE' }, { field: 'env_vars.KEY' }, { field: 'headers.X' }])
    expect(JSON.stringify(fields)).not.toMatch(/old-key|new-key/)
    expect(updateOf(wanted, fields, 'toolhaven')).toEqual({
      env_vars: wanted.env_vars,
      headers: wanted.headers,
      headers_from_secrets: null,
      labels: { [APPLY_LABEL]: 'toolhaven' },
    })
  })

  it('clears what the file no longer has', () => {
    const wanted = { name: 'a', image: 'x' }
    const fields = workloadDifferences(wanted, {
      request: { ...wanted, tools: ['t'], resources: { pids: 9 } },
      hidden_headers: [],
    })
    expect(updateOf(wanted, fields, 'm')).toEqual({ tools: null, resources: null, labels: { [APPLY_LABEL]: 'm' } })
  })
})
