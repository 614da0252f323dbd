import type { AdoptRequest } from '@toolhaven/contract/adopt'
import { invalid, unsupported } from '../errors.ts'
import type { StoredAdoption } from '../ports/foreign-entries.ts'
import { createWorkload } from '../workloads/operations/create.ts'
import type { AdoptDeps } from './adopt-deps.ts'
import { isPlainValue } from './is-plain-value.ts'
import type { FoundServer } from './look-around.ts'
import { writeOriginals } from './originals.ts'
import type { Translation } from './translate.ts'

/** What the user specifies for an adoption besides its name. */
export type AdoptionWish = Omit<AdoptRequest, 'name'>

/** Stores the adoption and its keys and creates its workload. If that fails, the record says what was done. */
export async function begin(deps: AdoptDeps, server: FoundServer, wish: AdoptionWish): Promise<StoredAdoption> {
  const { name, plan, entries } = server
  if (!plan) throw invalid(`${name} cannot be adopted: ${server.obstacle}`)
  const hidden = await chooseSecrets(deps, name, plan)
  const record: StoredAdoption = {
    name,
    phase: 'starting',
    url: '',
    entries: entries.map(({ client, path, key }) => ({ client, path, key })),
    originals: hidden.size > 0 ? { secret: await freeKey(deps, `${name}-original-entries`) } : { texts: [] },
    secrets: [...hidden.values()].map(({ key }) => key),
  }
  // Stored before anything is created, so that it can be found and undone whatever happens.
  await deps.store.save(record)
  deps.held.add(name)
  for (const { key, value } of hidden.values()) await deps.secrets.create(key, value)
  const complete = await writeOriginals(
    deps,
    record,
    entries.map(({ text }) => text),
  )
  await deps.store.save(complete)
  await create(deps, { name, plan, wish, hidden })
  await deps.journal.append({ actor: 'api', action: 'adopt', target: name, detail: { clients: entries.length } })
  return complete
}

/** By `variable:NAME` or `header:NAME`. */
type Hidden = Map<string, { key: string; value: string }>

async function chooseSecrets(deps: AdoptDeps, name: string, { variables, headers }: Translation): Promise<Hidden> {
  const all = [
    ...Object.entries(variables).map(([key, value]) => ({ kind: 'variable', key, value })),
    ...Object.entries(headers).map(([key, value]) => ({ kind: 'header', key, value })),
  ].filter(({ key, value }) => !isPlainValue(key, value))
  if (all.length === 0) return new Map()
  const { provider_type: type, capabilities } = await deps.secrets.details()
  if (!capabilities.can_write)
    throw unsupported(`${name} has keys, and the secrets provider ${type} cannot store them; set up the encrypted one`)
  const hidden: Hidden = new Map()
  for (const { kind, key, value } of all)
    hidden.set(`${kind}:${key}`, { key: await freeKey(deps, `${name}-${key}`), value })
  return hidden
}

async function freeKey({ secrets }: AdoptDeps, wanted: string): Promise<string> {
  const clean = wanted.replaceAll(/[,\p{Cc}]/gu, '-')
  let key = clean
  for (let number = 2; await secrets.has(key); number += 1) key = `${clean}-${number}`
  return key
}

interface Creation {
  name: string
  plan: Translation
  wish: AdoptionWish
  hidden: Hidden
}

async function create(deps: AdoptDeps, { name, plan, wish, hidden }: Creation): Promise<void> {
  const open = (kind: string, values: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(values).filter(([key]) => !hidden.has(`${kind}:${key}`)))
  const stored = (kind: string) =>
    [...hidden]
      .filter(([id]) => id.startsWith(`${kind}:`))
      .map(([id, { key }]) => [id.slice(kind.length + 1), key] as const)
  const headers = { headers: open('header', plan.headers), headers_from_secrets: Object.fromEntries(stored('header')) }
  await createWorkload(
    deps.workloads,
    {
      name,
      ...(wish.group !== undefined && { group: wish.group }),
      ...(wish.accept_network && { accept_network: true }),
      ...(wish.accept_mounts && { accept_mounts: true }),
      ...(plan.image !== undefined
        ? { image: plan.image, transport: 'stdio' }
        : { url: plan.url, transport: plan.transport }),
      cmd_arguments: [...plan.args],
      env_vars: open('variable', plan.variables),
      secrets: stored('variable').map(([target, key]) => ({ name: key, target })),
      volumes: [...plan.volumes],
      ...(!plan.hasNetwork && { permission_profile: { name: 'none' } }),
    },
    { urlOrigin: 'adoption', ...(Object.keys(plan.headers).length > 0 && { remote_auth_config: headers }) },
  )
}
