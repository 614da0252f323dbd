import type { CreateRequest } from '@toolhaven/contract/workload-request'
import { conflict, isThvError } from '@toolhaven/core/errors'
import type { DaemonClient } from '../connect/daemon-client.ts'
import type { Context } from '../context.ts'
import { askHidden, askText, canAsk, confirm } from '../output/prompt.ts'
import { printable } from '../output/table.ts'

type Asking = Pick<Context, 'out' | 'signal'>

/** Asks for what the registry says the server needs and the line does not give. Without a terminal, the daemon names it. */
export async function askForMissing(
  context: Asking,
  client: DaemonClient,
  request: CreateRequest,
): Promise<CreateRequest> {
  if (!canAsk() || !request.image) return request
  const given = new Set([
    ...Object.keys(request.env_vars ?? {}),
    ...(request.secrets ?? []).map(({ target }) => target),
  ])
  const known = await knownVariables(client, request.image, context.signal)
  const missing = known.filter(
    ({ name, required, default: value }) => required && value === undefined && !given.has(name),
  )
  const variables = { ...request.env_vars }
  const secrets = [...(request.secrets ?? [])]
  for (const { name, description, secret } of missing) {
    const message = printable(`${request.image} needs ${name}: ${description}`)
    const question = { message, instead: `pass it with -e ${name}=VALUE`, signal: context.signal }
    if (secret !== true) {
      const fault = (text: string) => (text === '' ? 'Type something, or press Ctrl-C.' : undefined)
      variables[name] = await askText(question, { initial: '', fault })
      continue
    }
    const value = await askHidden({ ...question, message: `${message} (not shown)` })
    secrets.push({
      name: await storeSecret(context, client, `${request.name ?? request.image}-${name}`, value),
      target: name,
    })
  }
  return {
    ...request,
    ...(Object.keys(variables).length > 0 && { env_vars: variables }),
    ...(secrets.length > 0 && { secrets }),
  }
}

async function knownVariables(client: DaemonClient, serverName: string, signal: AbortSignal) {
  try {
    const { server } = await client.call('getServer', { params: { name: 'default', serverName } }, signal)
    return server?.env_vars ?? []
  } catch (error) {
    // It is no name of the registry, which the daemon looks at next.
    if (isThvError(error)) return []
    throw error
  }
}

/** Gives the name that it is stored under. */
async function storeSecret(
  { out, signal }: Asking,
  client: DaemonClient,
  wish: string,
  value: string,
): Promise<string> {
  const keys = await storedKeys(client, signal)
  const plain = wish.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
  const names = [plain, ...Array.from({ length: keys.length + 1 }, (_, at) => `${plain}-${at + 2}`)]
  const key = names.find((name) => !keys.includes(name)) ?? plain
  await client.call('createSecret', { body: { key, value } }, signal)
  out.note(`It is stored as the secret ${key}; "thv secret set ${key}" changes it.`)
  return key
}

async function storedKeys(client: DaemonClient, signal: AbortSignal): Promise<string[]> {
  try {
    return (await client.call('listSecrets', {}, signal)).keys.map(({ key }) => key)
  } catch (error) {
    if (!isThvError(error, 'not-found')) throw error
    const message =
      'No secret store is set up yet. Set up an encrypted one, with a random password kept by this system?'
    if (!(await confirm({ message, instead: 'set one up with "thv secret setup"', signal })))
      throw conflict('cancelled; "thv secret setup" offers other stores\nNothing was changed.', error)
    await client.call('setupSecrets', { body: { provider_type: 'encrypted' } }, signal)
    return []
  }
}

/** A person who runs the same server again may not know that it runs already. */
export async function askForSecond({ signal }: Asking, client: DaemonClient, server: string): Promise<void> {
  if (!canAsk()) return
  const { workloads } = await client.call('listWorkloads', { query: { all: true } }, signal)
  for (const { name, status } of workloads) {
    const params = { name }
    const { request } = await client.call('getWorkloadRequest', { params }, signal)
    if (request.image !== server && request.url !== server) continue
    const message = `There is a workload ${name} of the same server already (${status}). Run a second one?`
    if (await confirm({ message, instead: 'give it a name with --name', signal })) return
    throw conflict(`cancelled; "thv inspect ${name}" shows the one there is\nNothing was changed.`)
  }
}
