import { parseClientType } from '@toolhaven/contract/client-types'
import { APPLY_LABEL, type Manifest, type ManifestChange } from '@toolhaven/contract/manifest'
import { DEFAULT_GROUP } from '@toolhaven/contract/names'
import type { CurrentState } from './current-state.ts'
import { workloadDifferences } from './workload-differences.ts'

/** What may be removed because the file does not name it: nothing, what this file made, or everything. */
export type Prune = 'nothing' | 'own' | 'all'

/** The changes that make the daemon match the file, in the order in which they are made. A pure function. */
export function planChanges(manifest: Manifest, state: CurrentState, prune: Prune): ManifestChange[] {
  return [
    ...newGroups(manifest, state),
    ...registryChange(manifest, state),
    ...workloadChanges(manifest, state),
    ...clientChanges(manifest, state),
    ...(prune === 'all' ? clientRemovals(manifest, state) : []),
    ...workloadRemovals(manifest, state, prune),
    ...(prune === 'all' ? groupRemovals(manifest, state) : []),
  ]
}

function newGroups({ groups }: Manifest, state: CurrentState): ManifestChange[] {
  const missing = groups.filter((name) => !state.groups.includes(name))
  return missing.map((name) => ({ action: 'create', kind: 'group', name, fields: [] }))
}

function registryChange({ registry }: Manifest, state: CurrentState): ManifestChange[] {
  if (registry === undefined) return []
  const wanted = registry.url ?? registry.local_path ?? ''
  if (wanted === state.registry.source) return []
  const fields = [{ field: 'source', from: state.registry.source || 'built-in', to: wanted || 'built-in' }]
  return [{ action: 'update', kind: 'registry', name: 'default', fields }]
}

function workloadChanges({ workloads }: Manifest, state: CurrentState): ManifestChange[] {
  return workloads.flatMap((wanted): ManifestChange[] => {
    const found = state.workloads.find(({ record }) => record.name === wanted.name)
    const change = { kind: 'workload', name: wanted.name } as const
    if (!found?.asked) {
      const fields = [{ field: wanted.url ? 'url' : 'image', to: wanted.url ?? wanted.image }]
      return [{ ...change, action: 'create', fields }]
    }
    const fields = workloadDifferences(wanted, found.asked)
    const { port, status } = found.record
    if (wanted.proxy_port !== undefined && wanted.proxy_port !== port)
      return [
        {
          ...change,
          action: 'replace',
          fields: [...fields, { field: 'proxy_port', from: port, to: wanted.proxy_port }],
        },
      ]
    if (fields.length > 0) return [{ ...change, action: 'update', fields }]
    const isDown = status === 'stopped' || status === 'stopping'
    return isDown ? [{ ...change, action: 'start', fields: [] }] : []
  })
}

/** A client in the file gets exactly the groups that the file lists. */
function clientChanges({ clients }: Manifest, state: CurrentState): ManifestChange[] {
  return clients.flatMap(({ name: text, groups = [DEFAULT_GROUP] }): ManifestChange[] => {
    const name = parseClientType(text) ?? text
    const from = state.clients.find((client) => client.name === name)?.groups ?? []
    const to = [...new Set(groups)]
    if (from.length === to.length && to.every((group) => from.includes(group))) return []
    return [
      {
        action: from.length === 0 ? 'create' : 'update',
        kind: 'client',
        name,
        fields: [{ field: 'groups', from, to }],
      },
    ]
  })
}

function clientRemovals({ clients }: Manifest, state: CurrentState): ManifestChange[] {
  const named = new Set(clients.map(({ name }) => parseClientType(name)))
  const others = state.clients.filter(({ name }) => !named.has(name))
  return others.map(({ name }) => ({ action: 'remove', kind: 'client', name, fields: [] }))
}

function workloadRemovals({ name: own, workloads }: Manifest, state: CurrentState, prune: Prune): ManifestChange[] {
  const named = new Set(workloads.map(({ name }) => name))
  const others = state.workloads.filter(({ record }) => !named.has(record.name))
  const mayGo = others.filter(
    ({ record }) => prune === 'all' || (prune === 'own' && record.labels[APPLY_LABEL] === own),
  )
  return mayGo.map(({ record }) => ({ action: 'remove', kind: 'workload', name: record.name, fields: [] }))
}

function groupRemovals({ groups }: Manifest, state: CurrentState): ManifestChange[] {
  const others = state.groups.filter((name) => name !== DEFAULT_GROUP && !groups.includes(name))
  return others.map((name) => ({ action: 'remove', kind: 'group', name, fields: [] }))
}
