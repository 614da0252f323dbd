import type { ApiClient } from '@toolhaven/contract/client'
import type { CreateRequest } from '@toolhaven/contract/workload-request'
import type { RegistryEntry } from '../registry/choose-entries.ts'
import { createSecret, replaceSecret, storedKeys } from '../secrets/store-secret.ts'
import { editOf, nameSecrets, newSecrets, requestOf, type RunForm, secretNameFor } from './run-form.ts'

export interface Attempt {
  form: RunForm
  entry?: RegistryEntry | undefined
  /** The server that an earlier attempt made. */
  made?: string | undefined
  /** The secrets that this form stored, by their variables. A retry replaces these and no others. */
  stored: Map<string, string>
}

/** Runs the server, or changes the one that was made. Its secrets are stored once the daemon accepts the rest. */
export async function runServer(
  api: Pick<ApiClient, 'call' | 'plan'>,
  { form, entry, made, stored }: Attempt,
): Promise<{ name: string }> {
  const keys = await storedKeys(api)
  const named = nameSecrets(form, keys, stored)
  const request = requestOf(named, entry)
  await refuseEarly(api, withoutNewSecrets(request, named), made)
  for (const variable of newSecrets(named)) {
    const key = secretNameFor(named, variable)
    const isOwn = stored.get(variable.name) === key && keys.includes(key)
    await (isOwn ? replaceSecret : createSecret)(api, key, variable.value)
    stored.set(variable.name, key)
  }
  return made === undefined
    ? api.call('createWorkload', { body: request })
    : api.call('editWorkload', { params: { name: made }, body: editOf(request) })
}

async function refuseEarly(
  api: Pick<ApiClient, 'plan'>,
  request: CreateRequest,
  made: string | undefined,
): Promise<void> {
  const { problems } =
    made === undefined
      ? await api.plan('createWorkload', { body: request })
      : await api.plan('editWorkload', { params: { name: made }, body: editOf(request) })
  if (problems.length > 0) throw new Error(problems.map(({ message }) => message).join('\n'))
}

/** A secret that is not stored yet cannot be named; a variable in its place shows the daemon that it will be given. */
function withoutNewSecrets(request: CreateRequest, form: RunForm): CreateRequest {
  const coming = new Set(newSecrets(form).map(({ name }) => name))
  return {
    ...request,
    env_vars: { ...request.env_vars, ...Object.fromEntries([...coming].map((name) => [name, 'given as a secret'])) },
    secrets: (request.secrets ?? []).filter(({ target }) => !coming.has(target)),
  }
}
