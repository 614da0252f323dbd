import type { ApiClient } from '@toolhaven/contract/client'
import type { WorkloadPlan } from '@toolhaven/contract/plans'
import type { CreateRequest } from '@toolhaven/contract/workload-request'
import type { RegistryEntry } from '../registry/choose-entries.ts'
import { createSecret, ensureSecretStore, replaceSecret, storedKeys } from '../secrets/store-secret.ts'
import { editOf, requestOf } from './request-of.ts'
import { basisOf, type RunForm } from './run-form.ts'
import { nameSecrets, newSecrets, secretNameFor } from './secret-names.ts'

export interface Attempt {
  form: RunForm
  entry?: RegistryEntry | undefined
  /** The server that an earlier attempt made. */
  made?: string | undefined
  /** The secrets that this form stored, by what they are for. A retry replaces these and no others. */
  stored: Map<string, string>
}

/** A mistyped name is refused instead of being taken for an image. */
export const KNOWN = { known_only: true }

/** Runs the server, or changes the one that was made. Its secrets are stored once the daemon accepts the rest. */
export async function runServer(
  api: Pick<ApiClient, 'call' | 'plan'>,
  { form, entry, made, stored }: Attempt,
): Promise<{ name: string }> {
  const keys = await storedKeys(api)
  const named = nameSecrets(form, keys, stored)
  const request = requestOf(named, basisOf(form, entry))
  const early = withoutNewSecrets(request, named)
  await prepareStore(api, named)
  refuseEarly(
    made === undefined
      ? await api.plan('createWorkload', { body: early, query: KNOWN })
      : await api.plan('editWorkload', { params: { name: made }, body: editOf(early), query: KNOWN }),
  )
  await storeSecrets(api, named, keys, stored)
  return made === undefined
    ? api.call('createWorkload', { body: request })
    : api.call('editWorkload', { params: { name: made }, body: editOf(request) })
}

/** The daemon plans headers that are keys only where there is a store for them. */
export async function prepareStore(api: Pick<ApiClient, 'call'>, form: Pick<RunForm, 'headers'>): Promise<void> {
  if (newSecrets({ headers: form.headers, variables: [] }).length > 0) await ensureSecretStore(api)
}

export function refuseEarly({ problems }: WorkloadPlan): void {
  if (problems.length > 0) throw new Error(problems.map(({ message }) => message).join('\n'))
}

/** Stores what is new, under the names that the form has for them. */
export async function storeSecrets(
  api: Pick<ApiClient, 'call'>,
  named: RunForm,
  keys: readonly string[],
  stored: Map<string, string>,
): Promise<void> {
  for (const { id, given } of newSecrets(named)) {
    const key = secretNameFor(named, given)
    const isOwn = stored.get(id) === key && keys.includes(key)
    await (isOwn ? replaceSecret : createSecret)(api, key, given.value)
    stored.set(id, key)
  }
}

/** A secret that is not stored yet cannot be named; a plain value in its place shows the daemon that it will be given. */
export function withoutNewSecrets(request: CreateRequest, form: RunForm): CreateRequest {
  const coming = newSecrets(form).map(({ given }) => secretNameFor(form, given))
  const { env_vars = {}, secrets = [], headers = {}, headers_from_secrets: hidden, ...rest } = request
  const isComing = (key: string) => coming.includes(key)
  const targets = secrets.filter(({ name }) => isComing(name)).map(({ target }) => target)
  const held = Object.entries(hidden ?? {})
  const comingHeaders = held.filter(([, key]) => isComing(key)).map(([header]) => header)
  const plainHeaders = { ...headers, ...inPlaceOf(comingHeaders) }
  return {
    ...rest,
    env_vars: { ...env_vars, ...inPlaceOf(targets) },
    secrets: secrets.filter(({ name }) => !isComing(name)),
    ...(Object.keys(plainHeaders).length > 0 && { headers: plainHeaders }),
    ...(hidden && { headers_from_secrets: Object.fromEntries(held.filter(([, key]) => !isComing(key))) }),
  }
}

const inPlaceOf = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, 'given as a secret']))
