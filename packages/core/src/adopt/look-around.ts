import type { ForeignServer } from '@toolhaven/contract/adopt'
import type { EntryPlace, ForeignEntry, StoredAdoption } from '../ports/foreign-entries.ts'
import { clientUrl } from '../workloads/operations/read.ts'
import { uniqueName } from '../workloads/operations/target.ts'
import type { AdoptDeps } from './adopt-deps.ts'
import { isPlainValue, maskAddress, maskArguments } from './is-plain-value.ts'
import { readOriginals } from './originals.ts'
import { type Translation, translate } from './translate.ts'
import { withMounts } from './with-mounts.ts'

/** One server, with the entries of all clients that use it. */
export interface FoundServer {
  name: string
  entries: ForeignEntry[]
  plan?: Translation
  obstacle?: string
  /** Its adoption exists already, so its workload is used. */
  earlier?: StoredAdoption
}

export interface Findings {
  servers: FoundServer[]
  faults: { client: EntryPlace['client']; reason: string }[]
}

/** Every server in the clients' files that is not ours; the same one in several files counts once. */
export async function lookAround(deps: AdoptDeps): Promise<Findings> {
  const { entries, faults } = await deps.entries.list()
  const records = await deps.store.load()
  const ours = new Set([
    ...deps.workloads.book.all().map(({ stored }) => clientUrl(stored)),
    ...records.map(({ url }) => url),
  ])
  const foreign = entries.filter(({ definition: { url } }) => url === undefined || !ours.has(url))
  const bySameness = new Map<string, ForeignEntry[]>()
  for (const entry of foreign) {
    const sameness = samenessOf(entry)
    bySameness.set(sameness, [...(bySameness.get(sameness) ?? []), entry])
  }
  const earlier = await earlierAdoptions(deps, records)
  const names = new Set<string>(records.map(({ name }) => name.toLowerCase()))
  const isTaken = (name: string) => names.has(name.toLowerCase()) || deps.workloads.book.isNameTaken(name)
  const servers: FoundServer[] = []
  for (const [sameness, group] of bySameness) {
    const [first] = group
    if (first === undefined) continue
    const known = earlier.get(sameness)
    const name = known?.name ?? uniqueName(first.key, isTaken)
    names.add(name.toLowerCase())
    const translated = translate(first.definition)
    const outcome = 'plan' in translated ? { plan: await withMounts(deps, translated.plan) } : translated
    servers.push({ name, entries: group, ...outcome, ...(known && { earlier: known }) })
  }
  return { servers, faults }
}

/** Equal for entries that would become the same workload. */
function samenessOf({ definition, client, path, key }: ForeignEntry): string {
  const translated = translate(definition)
  if ('obstacle' in translated) return JSON.stringify([client, path, key])
  const { notes: _notes, ...plan } = translated.plan
  return JSON.stringify(sortKeys(plan))
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (typeof value !== 'object' || value === null) return value
  const sorted = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(sorted.map(([key, part]) => [key, sortKeys(part)]))
}

async function earlierAdoptions(
  deps: AdoptDeps,
  records: readonly StoredAdoption[],
): Promise<Map<string, StoredAdoption>> {
  const found = new Map<string, StoredAdoption>()
  for (const record of records) {
    // If its texts cannot be read (a locked store), the server is just not recognised.
    const [text] = await readOriginals(deps, record).catch((): string[] => [])
    const [place] = record.entries
    if (text === undefined || place === undefined) continue
    found.set(samenessOf({ ...place, text, definition: deps.entries.read(text) }), record)
  }
  return found
}

/** The server as it may be shown: names of variables, never values. */
export function describeServer({ name, entries, plan, obstacle, earlier }: FoundServer): ForeignServer {
  const definition = entries[0]?.definition
  const { command = '', args = [], env = {}, headers = {}, url } = definition ?? {}
  const masked = plan ? maskArguments(plan.args) : []
  const hidden = plan ? masked.filter((arg, at) => arg !== plan.args[at]).length : 0
  const hint = hidden > 0 ? ['an argument looks like a key; it stays among the arguments of the workload'] : []
  return {
    name,
    found_in: entries.map(placeOf),
    command: url === undefined ? [command, ...maskArguments(args)].join(' ') : (maskAddress(url) ?? ''),
    env_vars: namesOf(plan?.variables ?? env),
    headers: namesOf(headers),
    ...(plan && {
      becomes: {
        ...(plan.image !== undefined && { image: plan.image }),
        ...(plan.url !== undefined && { url: plan.url }),
        transport: plan.transport,
        cmd_arguments: masked,
        volumes: [...plan.volumes],
      },
    }),
    ...(obstacle !== undefined && { obstacle }),
    ...(earlier?.phase === 'adopted' && { shares: earlier.name }),
    notes: [...(plan?.notes ?? []), ...hint],
  }
}

const namesOf = (values: Readonly<Record<string, string>>) =>
  Object.entries(values).map(([name, value]) => ({ name, secret: !isPlainValue(name, value) }))

export function placeOf({ client, path, key }: EntryPlace) {
  return { client_type: client, key, file: path }
}
