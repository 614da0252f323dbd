import { invalid, isThvError, unavailable, unsupported } from '@toolhaven/core/errors'
import type { SecretKeyEntry, SecretsProvider } from '@toolhaven/core/ports/secrets'

export const TOKEN_VARIABLE = 'OP_SERVICE_ACCOUNT_TOKEN'

/** The SDK calls that Toolhaven uses. */
export interface OnePasswordClient {
  secrets: { resolve(reference: string): Promise<string> }
  vaults: { list(): Promise<{ id: string; title: string }[]> }
  items: {
    list(vaultId: string): Promise<{ id: string; title: string }[]>
    get(vaultId: string, itemId: string): Promise<{ fields: { id: string; title: string }[] }>
  }
}

export interface OnePasswordOptions {
  token: string | undefined
  connect?: (token: string) => Promise<OnePasswordClient>
  timeoutMs?: number
}

/** How many items are read at the same time. 1Password limits the request rate. */
const PARALLEL_ITEMS = 4

/** Connects to the account of a service account token. Reads and lists, never writes. */
export async function openOnePassword(options: OnePasswordOptions): Promise<SecretsProvider> {
  const { token, connect = connectSdk, timeoutMs = 30_000 } = options
  if (token === undefined || token === '') {
    throw invalid(`1Password needs a service account token: set ${TOKEN_VARIABLE} and start the daemon again`)
  }
  if (!token.startsWith('ops_')) throw badToken()
  const within = <R>(work: Promise<R>) => withDeadline(work, timeoutMs)
  const client = await within(connect(token))
  const refuse = async (): Promise<never> => {
    throw unsupported('Toolhaven only reads from 1Password: change the item in 1Password itself')
  }
  return {
    type: '1password',
    capabilities: { can_read: true, can_write: false, can_delete: false, can_list: true, can_cleanup: false },
    async get(key) {
      if (!/^op:\/\/[^/]+\/[^/]+\/./.test(key)) return undefined
      return within(client.secrets.resolve(key).catch(orMissing))
    },
    set: refuse,
    delete: refuse,
    list: () => within(listFields(client)),
  }
}

async function listFields(client: OnePasswordClient): Promise<SecretKeyEntry[]> {
  const entries: SecretKeyEntry[] = []
  for (const vault of await client.vaults.list()) {
    const items = await client.items.list(vault.id)
    for (let at = 0; at < items.length; at += PARALLEL_ITEMS) {
      const some = items.slice(at, at + PARALLEL_ITEMS)
      const found = await Promise.all(
        some.map(async (item) => ({ item, ...(await client.items.get(vault.id, item.id)) })),
      )
      for (const { item, fields } of found) {
        for (const field of fields) {
          entries.push({
            key: `op://${vault.id}/${item.id}/${field.id}`,
            description: `${vault.title} :: ${item.title} :: ${field.title}`,
          })
        }
      }
    }
  }
  return entries.toSorted((a, b) => (a.key < b.key ? -1 : 1))
}

/** The SDK is a large WebAssembly program, so it is loaded only when it is used. */
async function connectSdk(token: string): Promise<OnePasswordClient> {
  const { createClient } = await import('@1password/sdk')
  const client = await createClient({ auth: token, integrationName: 'Toolhaven', integrationVersion: 'v1' })
  return client
}

/** SDK calls cannot be cancelled, so the result of a call that takes too long is ignored. */
async function withDeadline<R>(work: Promise<R>, timeoutMs: number): Promise<R> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => late.reject(unavailable(`1Password did not answer within ${timeoutMs / 1000} seconds: try again later`)),
    timeoutMs,
  )
  try {
    return await Promise.race([work, late.promise])
  } catch (error) {
    throw isThvError(error) ? error : classify(error)
  } finally {
    clearTimeout(timer)
  }
}

/** The SDK's errors differ only in their messages. The messages are not passed on, because they may quote an item. */
function classify(error: unknown) {
  const words = wordsOf(error)
  if (/service account token|deserialization|invalid user input/i.test(words)) return badToken()
  if (/rate limit/i.test(words))
    return unavailable('1Password reports that its rate limit is exceeded: try again later')
  if (/error sending request|network|timed? ?out|dns|connect/i.test(words)) {
    return unavailable('1Password cannot be reached: check the network and any proxy, then try again')
  }
  if (/auth|unauthorized|forbidden|permission/i.test(words)) {
    return invalid(
      `1Password does not accept the token in ${TOKEN_VARIABLE}: check that it is valid and may read the vault`,
    )
  }
  return unavailable('1Password answered with an error: see the activity log of the service account')
}

function orMissing(error: unknown): undefined {
  if (/no (vault|item|section|field) matched|cannot be found|not found/i.test(wordsOf(error))) return undefined
  throw error
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? `${error.name} ${error.message}` : String(error)
}

function badToken() {
  return invalid(`${TOKEN_VARIABLE} is not a service account token of 1Password: copy it again, it begins with "ops_"`)
}
