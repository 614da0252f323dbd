import type { ApiClient } from '@toolhaven/contract/client'
import { requestOf } from '../run/request-of.ts'
import type { RunForm } from '../run/run-form.ts'
import { prepareStore, refuseEarly, storeSecrets, withoutNewSecrets } from '../run/run-server.ts'
import { nameSecrets, newSecrets } from '../run/secret-names.ts'
import { storedKeys } from '../secrets/store-secret.ts'
import type { FilledBase } from './edit-base.ts'
import { updateOf } from './update-of.ts'

export interface EditAttempt {
  base: FilledBase
  form: RunForm
  /** The secrets that this form stored, by what they are for. */
  stored: Map<string, string>
}

/** Changes the server. Its new secrets are stored once the daemon accepts the rest. */
export async function editServer(api: Pick<ApiClient, 'call' | 'plan'>, { base, form, stored }: EditAttempt) {
  const { name, revision, basis } = base
  const keys = await storedKeys(api)
  const named = nameSecrets(form, keys, stored)
  const update = updateOf(base, named)
  const call = { params: { name }, query: { revision } }
  if (newSecrets(named).length > 0) {
    await prepareStore(api, named)
    const { env_vars, secrets, headers, headers_from_secrets } = withoutNewSecrets(requestOf(named, basis), named)
    const early = { ...update, env_vars, secrets, ...(basis.isRemote && { headers, headers_from_secrets }) }
    refuseEarly(await api.plan('editWorkload', { ...call, body: early }))
  }
  await storeSecrets(api, named, keys, stored)
  await api.call('editWorkload', { ...call, body: update })
  return update
}
