import { parseOutside } from '@toolhaven/contract/parse-outside'
import { serverJson } from '@toolhaven/contract/server-json'
import type { CreateRequest } from '@toolhaven/contract/workload-request'
import { conflict, isThvError } from '@toolhaven/core/errors'
import { entryOfServer } from '@toolhaven/core/registry/entry-of-server'
import { ensureSecretStore } from '../commands/secret/with-secret-store.ts'
import type { DaemonClient } from '../connect/daemon-client.ts'
import type { Context } from '../context.ts'
import { askHidden, askText, canAsk, confirm } from '../output/prompt.ts'
import { printable } from '@toolhaven/contract/visible-text'

type Asking = Pick<Context, 'out' | 'signal'>

export interface Answers {
  /** The request with the answers that are not secret. */
  request: CreateRequest
  /** Secret values by variable, not stored yet. */
  hidden: ReadonlyMap<string, string>
}

/** Asks for values that the registry entry requires and the command lacks. Without a terminal, the daemon's error names them. */
export async function askForMissing(
  { signal }: Asking,
  client: DaemonClient,
  request: CreateRequest,
): Promise<Answers> {
  const hidden = new Map<string, string>()
  const server = request.server_json?.name ?? request.image
  if (!canAsk() || !server) return { request, hidden }
  const given = new Set([
    ...Object.keys(request.env_vars ?? {}),
    ...(request.secrets ?? []).map(({ target }) => target),
  ])
  const known = request.server_json
    ? variablesOfFile(request.server_json)
    : await knownVariables(client, server, signal)
  const missing = known.filter(
    ({ name, required, default: value }) => required && value === undefined && !given.has(name),
  )
  const variables = { ...request.env_vars }
  for (const { name, description, secret, choices } of missing) {
    const message = printable(`${server} needs ${name}: ${description}`)
    const question = { message, instead: `pass it with -e ${name}=VALUE`, signal }
    if (secret === true) {
      hidden.set(name, await askHidden({ ...question, message: `${message} (not shown)` }))
    } else {
      const fault = (text: string) => {
        if (text === '') return 'Type something, or press Ctrl-C.'
        return choices && !choices.includes(text) ? printable(`Type one of: ${choices.join(', ')}`) : undefined
      }
      variables[name] = await askText(question, { initial: '', fault })
    }
  }
  return { request: { ...request, ...(Object.keys(variables).length > 0 && { env_vars: variables }) }, hidden }
}

/** Stores the hidden answers and creates the workload with them. If that fails, they are deleted again. */
export async function createWithAnswers<Created>(
  context: Asking,
  client: DaemonClient,
  { request, hidden }: Answers,
  create: (request: CreateRequest) => Promise<Created>,
): Promise<Created> {
  if (hidden.size === 0) return create(request)
  await ensureSecretStore(context, client, { yes: false })
  const { keys } = await client.call('listSecrets', {}, context.signal)
  const taken = keys.map(({ key }) => key)
  const stored: string[] = []
  const secrets = [...(request.secrets ?? [])]
  try {
    for (const [target, value] of hidden) {
      const key = freeKey(`${request.name ?? request.server_json?.name ?? request.image}-${target}`, [
        ...taken,
        ...stored,
      ])
      await client.call('createSecret', { body: { key, value } }, context.signal)
      stored.push(key)
      secrets.push({ name: key, target })
    }
    const created = await create({ ...request, secrets })
    for (const key of stored) context.out.note(`It is stored as the secret ${key}. "thv secret set ${key}" changes it.`)
    return created
  } catch (error) {
    for (const key of stored) await takeBack(context, client, key, error)
    throw error
  }
}

/** Without an answer of the daemon, the workload may exist and use the secret. */
async function takeBack({ out }: Asking, client: DaemonClient, key: string, failure: unknown): Promise<void> {
  const kept = () => out.note(`The secret ${key} stays stored; "thv secret delete ${key}" removes it.`)
  if (isThvError(failure, 'unavailable')) return kept()
  // Without the signal of Ctrl-C, so that the secret is deleted in any case.
  const { signal } = new AbortController()
  await client.call('deleteSecret', { params: { key } }, signal).catch(kept)
}

function variablesOfFile(file: unknown) {
  const read = parseOutside(serverJson, file)
  if (!read.success) return []
  try {
    const entry = entryOfServer(read.data)
    return 'url' in entry ? [] : (entry.env_vars ?? [])
  } catch (error) {
    // The daemon's error says why the server cannot run.
    if (isThvError(error)) return []
    throw error
  }
}

async function knownVariables(client: DaemonClient, serverName: string, signal: AbortSignal) {
  try {
    const { server } = await client.call('getServer', { params: { name: 'default', serverName } }, signal)
    return server?.env_vars ?? []
  } catch (error) {
    // Not a registry name. The daemon checks the name next and reports what is wrong.
    if (isThvError(error)) return []
    throw error
  }
}

function freeKey(wish: string, taken: readonly string[]): string {
  const plain = wish.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
  const names = [plain, ...Array.from({ length: taken.length + 1 }, (_, at) => `${plain}-${at + 2}`)]
  return names.find((name) => !taken.includes(name)) ?? plain
}

/** Asks before a second workload of the same server: the user may not know that one runs already. */
export async function askForSecond({ signal }: Asking, client: DaemonClient, server: string): Promise<void> {
  if (!canAsk()) return
  const { workloads } = await client.call('listWorkloads', { query: { all: true } }, signal)
  for (const { name, status } of workloads) {
    const request = await requestOf(client, name, signal)
    if (request?.image !== server && request?.url !== server) continue
    const message = `There is already a workload ${name} of the same server (${status}). Run a second one?`
    if (await confirm({ message, instead: 'give it a name with --name', signal })) return
    throw conflict(`cancelled; "thv inspect ${name}" shows the existing workload\nNothing was changed.`)
  }
}

/** Undefined if the workload was removed in the meantime. */
async function requestOf(client: DaemonClient, name: string, signal: AbortSignal): Promise<CreateRequest | undefined> {
  try {
    return (await client.call('getWorkloadRequest', { params: { name } }, signal)).request
  } catch (error) {
    if (isThvError(error, 'not-found')) return undefined
    throw error
  }
}
