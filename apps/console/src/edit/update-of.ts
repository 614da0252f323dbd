import type { CreateRequest, UpdateRequest } from '@toolhaven/contract/workload-request'
import { FORM_FIELDS, requestOf } from '../run/request-of.ts'
import type { RunForm } from '../run/run-form.ts'
import type { EditBase, FilledBase } from './edit-base.ts'

/** The edit that makes of what is configured what the form says. What is as it was is left out, and so stays. */
export function updateOf(base: FilledBase, form: RunForm): UpdateRequest {
  const before = withKept(requestOf(base.form, base.basis), base.request)
  const after = withKept(requestOf(form, base.basis), base.request)
  const changed = (['image', 'url', ...FORM_FIELDS] as const).filter((field) => !isSame(before[field], after[field]))
  return Object.fromEntries(changed.map((field) => [field, after[field] ?? null]))
}

/** Limits that the form does not have stay. */
function withKept(request: CreateRequest, { resources, limits }: CreateRequest): CreateRequest {
  const { memory_mb: _memory, cpus: _cpus, pids: _pids, ...otherResources } = resources ?? {}
  const { requests_per_minute: _all, client_requests_per_minute: _each, ...otherLimits } = limits ?? {}
  const [wholeResources, wholeLimits] = [
    { ...otherResources, ...request.resources },
    { ...otherLimits, ...request.limits },
  ]
  const { resources: _before, limits: _limitsBefore, ...rest } = request
  return {
    ...rest,
    ...(Object.keys(wholeResources).length > 0 && { resources: wholeResources }),
    ...(Object.keys(wholeLimits).length > 0 && { limits: wholeLimits }),
  }
}

/** Of another server, the daemon forgets the folder, and what was confirmed and sent to the one before. */
const OF_THE_SERVER = ['folder', 'accept_mounts', 'accept_network', 'headers', 'headers_from_secrets'] as const

/** The edit that puts back what was configured before; undefined where a value is gone that nobody can read. */
export function undoOf({ request }: Pick<EditBase, 'request'>, update: UpdateRequest): UpdateRequest | undefined {
  if (replacesSecret(request, update)) return undefined
  const isOther = update.image !== undefined || update.url !== undefined
  const fields = [...Object.keys(update), ...(isOther ? OF_THE_SERVER : [])]
  const before: Readonly<Record<string, unknown>> = request
  return Object.fromEntries(fields.map((field) => [field, before[field] ?? null]))
}

/** A value that is given for a header whose value the daemon keeps as a secret takes its place in the store. */
function replacesSecret({ headers_from_secrets: kept = {} }: CreateRequest, { headers }: UpdateRequest): boolean {
  const given = Object.keys(headers ?? {}).map((header) => header.toLowerCase())
  return Object.keys(kept).some((header) => given.includes(header.toLowerCase()))
}

export function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other))
}

/** The order of the entries of a map means nothing. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, each]) => [key, sorted(each)]),
  )
}
