import { conflict } from '@toolhaven/core/errors'
import type { DaemonClient } from '../../connect/daemon-client.ts'
import type { Output } from '../../output/output.ts'
import { isNotSetUp } from './or-set-up.ts'

interface Asking {
  out: Pick<Output, 'note'>
  signal: AbortSignal
}

/** The first secret sets up the encrypted store. A person at a terminal is asked before, unless they agreed to everything. */
export async function ensureSecretStore(
  { out, signal }: Asking,
  client: DaemonClient,
  { yes }: { yes: boolean },
): Promise<void> {
  try {
    await client.call('getSecretsProvider', {}, signal)
    return
  } catch (error) {
    if (!isNotSetUp(error)) throw error
  }
  const { canAsk, confirm } = await import('../../output/prompt.ts')
  const message = 'No secret store is set up yet. Set up an encrypted one, with a random password kept by this system?'
  const instead = 'set one up with "thv secret setup"'
  if (!yes && canAsk() && !(await confirm({ message, instead, signal })))
    throw conflict('cancelled; "thv secret setup" offers other stores\nNothing was changed.')
  const done = await client.call('setupSecrets', { body: { provider_type: 'encrypted' } }, signal)
  out.note(`The encrypted secret store is set up. ${done.message}`)
}

interface Request {
  secrets?: readonly object[] | null | undefined
  headers_from_secrets?: Readonly<Record<string, string>> | null | undefined
}

/** Sends a request whose values the daemon stores as secrets. One that names secrets would find none in a new store. */
export async function withSecretStore<Result>(
  context: Asking & { yes: boolean },
  client: DaemonClient,
  { secrets, headers_from_secrets: headers }: Request,
  send: () => Promise<Result>,
): Promise<Result> {
  try {
    return await send()
  } catch (error) {
    const namesSome = (secrets ?? []).length + Object.keys(headers ?? {}).length > 0
    if (namesSome || !isNotSetUp(error)) throw error
    await ensureSecretStore(context, client, context)
    return send()
  }
}
