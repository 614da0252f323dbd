import { APPLY_LABEL, type ManifestChange, type ManifestWorkload } from '@toolhaven/contract/manifest'
import { DEFAULT_GROUP } from '@toolhaven/contract/names'
import type { CreateRequest, UpdateRequest } from '@toolhaven/contract/workload-request'
import type { CurrentWorkload } from './current-state.ts'

type Asked = NonNullable<CurrentWorkload['asked']>

/** Their values may be keys; only their names are shown. */
const MAY_HOLD_KEYS = new Set(['env_vars', 'headers'])

/** The fields in which the file differs from the original request. Empty and default values count as absent. */
export function workloadDifferences(wanted: ManifestWorkload, asked: Asked): ManifestChange['fields'] {
  const before = plain(asked.request, asked.hidden_headers)
  const after = plain(wanted, asked.hidden_headers)
  const fields = [...new Set([...before.keys(), ...after.keys()])].toSorted()
  return fields.flatMap((field) => {
    const [from, to] = [before.get(field), after.get(field)]
    if (sorted(from) === sorted(to)) return []
    if (MAY_HOLD_KEYS.has(field)) return changedKeys(field, from, to)
    return [{ field, ...(from !== undefined && { from }), ...(to !== undefined && { to }) }]
  })
}

/** The edit that makes the workload match the file. It contains only what differs. */
export function updateOf(wanted: ManifestWorkload, fields: ManifestChange['fields'], manifest: string): UpdateRequest {
  const names = new Set(fields.map(({ field }) => field.split('.')[0] ?? field))
  const all: Readonly<Record<string, unknown>> = wanted
  // The file has all headers: one whose value is in the secret store goes, unless the file names it.
  if (names.has('headers')) names.add('headers_from_secrets')
  const changes = [...names].map((field) => [field, all[field] ?? null])
  return { ...Object.fromEntries(changes), labels: labelsOf(wanted, manifest) }
}

export function labelsOf({ labels }: ManifestWorkload, manifest: string): Record<string, string> {
  return { ...labels, [APPLY_LABEL]: manifest }
}

function plain(request: CreateRequest, hiddenHeaders: readonly string[]): Map<string, unknown> {
  const { name: _name, proxy_port: _port, labels, headers, group, host, network_mode: network, ...rest } = request
  const isHidden = (header: string) => hiddenHeaders.some((hidden) => hidden.toLowerCase() === header.toLowerCase())
  const fields = {
    ...rest,
    group: group === DEFAULT_GROUP ? '' : group,
    host: host === '127.0.0.1' ? '' : host,
    network_mode: network === 'isolated' ? '' : network,
    labels: without(labels, (label) => label === APPLY_LABEL),
    headers: without(headers, isHidden),
  }
  return new Map(Object.entries(fields).filter(([, value]) => !isDefault(value)))
}

function without(record: Readonly<Record<string, string>> = {}, leaveOut: (key: string) => boolean) {
  return Object.fromEntries(Object.entries(record).filter(([key]) => !leaveOut(key)))
}

function isDefault(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === false || value === 0) return true
  return typeof value === 'object' && Object.keys(value).length === 0
}

function changedKeys(field: string, from: unknown, to: unknown): ManifestChange['fields'] {
  const [before, after] = [entriesOf(from), entriesOf(to)]
  const keys = [...new Set([...before.keys(), ...after.keys()])].toSorted()
  return keys.filter((key) => before.get(key) !== after.get(key)).map((key) => ({ field: `${field}.${key}` }))
}

const entriesOf = (value: unknown) => new Map<string, unknown>(Object.entries(value ?? {}))

/** Text for comparison, independent of the order of keys. */
function sorted(value: unknown): string | undefined {
  return JSON.stringify(value, (_key, part: unknown) => {
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part
    return Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  })
}
