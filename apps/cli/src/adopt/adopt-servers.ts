import type { Adoption, ForeignServer } from '@toolhaven/contract/adopt'
import { conflict, describeError, invalid } from '@toolhaven/core/errors'
import { ensureSecretStore } from '../commands/secret/with-secret-store.ts'
import type { DaemonClient } from '../connect/daemon-client.ts'
import type { Context } from '../context.ts'
import { orUnknownGroup } from '../lifecycle/or-unknown.ts'
import { canAsk, chooseSeveral, confirm } from '../output/prompt.ts'
import { printable } from '@toolhaven/contract/visible-text'
import { ADOPTABLE, chooseNamed } from './choose-named.ts'
import { describeServer } from './describe-server.ts'
import { showProgress } from './show-progress.ts'

interface Flags {
  all: boolean
  yes: boolean
  group: string | undefined
  acceptNetwork: boolean
  acceptMounts: boolean
  format: string
}

/** Adopts the chosen servers one after another. If one fails, the others are still adopted. */
export async function adoptServers(context: Context, names: readonly string[], flags: Flags): Promise<void> {
  const { out, signal } = context
  if (names.length === 0 && !flags.all && !canAsk())
    throw invalid('which servers? Name them, or give --all; "thv adopt --dry-run" lists them')
  const client = await context.daemon()
  const servers = await choose(context, client, names, flags)
  if (servers.length === 0) {
    if (flags.format === 'json') return out.json({ adoptions: [], failures: [] })
    return out.note('There is nothing to adopt: no client has its own server that can be moved.')
  }
  await orUnknownGroup(client, flags.group, signal, async () => {
    if (flags.group !== undefined) await client.call('getGroup', { params: { name: flags.group } }, signal)
  })
  if (servers.some(hasKeys)) await ensureSecretStore(context, client, flags)
  const confirmed = {
    ...(flags.acceptNetwork && { accept_network: true }),
    ...((flags.acceptMounts || showsBefore(names, flags)) && { accept_mounts: true }),
  }
  const adoptions: Adoption[] = []
  const failures: { name: string; reason: string }[] = []
  for (const { name } of servers) {
    try {
      const group = flags.group === undefined ? {} : { group: flags.group }
      const body = { name, ...group, ...confirmed }
      const adoption = await showProgress(context, client, name, () => client.call('adoptServer', { body }, signal))
      adoptions.push(adoption)
      if (flags.format !== 'json') await report(context, client, adoption)
    } catch (error) {
      signal.throwIfAborted()
      failures.push({ name, reason: describeError(error) })
    }
  }
  if (flags.format === 'json') out.json({ adoptions, failures })
  else if (adoptions.length > 0)
    out.note('Restart your clients so that they read their files again. "thv adopt --undo" puts everything back.')
  if (failures.length === 0) return
  throw conflict(failures.map(({ name, reason }) => printable(`${name} was not adopted: ${reason}`)).join('\n'))
}

/** Whether a person sees the servers and their mounts before choosing or agreeing. */
const showsBefore = (names: readonly string[], { all, yes }: Flags) => !yes || (names.length === 0 && !all)

const hasKeys = ({ env_vars: variables, headers }: ForeignServer) =>
  [...variables, ...headers].some(({ secret }) => secret)

async function choose(
  context: Context,
  client: DaemonClient,
  names: readonly string[],
  flags: Flags,
): Promise<ForeignServer[]> {
  const { out, signal } = context
  const { servers, faults } = await client.call('discoverServers', {}, signal)
  for (const { client_type: type, reason } of faults) out.note(printable(`${type}: ${reason}`))
  const named = names.length > 0 ? chooseNamed(servers, names, ADOPTABLE) : servers
  const stuck = named.filter(({ becomes }) => !becomes)
  const movable = named.filter(({ becomes }) => becomes)
  const why = stuck.map(({ name, obstacle }) => printable(`${name} cannot be adopted: ${obstacle}`))
  if (names.length > 0 && stuck.length > 0) throw conflict(why.join('\n'))
  if (movable.length === 0) {
    for (const line of why) out.note(line)
    return []
  }
  if (names.length === 0 && !flags.all) {
    for (const server of named) for (const line of describeServer(out, server)) out.note(line)
    return pick(movable, signal)
  }
  for (const line of why) out.note(line)
  if (!flags.yes) {
    for (const server of movable) for (const line of describeServer(out, server)) out.note(line)
    const message = `Move ${movable.map(({ name }) => name).join(', ')} into isolation and change the files of ${clientsOf(movable)}?`
    const instead = 'there is no terminal to ask at; add --yes, or check the result first with --dry-run'
    if (!(await confirm({ message, instead, signal }))) throw conflict('cancelled; nothing was changed')
  }
  return movable
}

async function pick(servers: readonly ForeignServer[], signal: AbortSignal): Promise<ForeignServer[]> {
  const choices = servers.map((server) => ({
    value: server.name,
    hint: printable(`${clientsOf([server])}: ${server.command}`),
  }))
  const question = {
    message: 'Which servers should move into isolation?',
    instead: 'name the servers, or give --all',
    signal,
  }
  return chooseNamed(servers, await chooseSeveral(question, choices, []), ADOPTABLE)
}

const clientsOf = (servers: readonly ForeignServer[]) =>
  [...new Set(servers.flatMap(({ found_in: places }) => places.map(({ client_type: type }) => type)))].join(', ')

async function report({ out, signal }: Context, client: DaemonClient, adoption: Adoption): Promise<void> {
  const { url } = await client.call('getWorkload', { params: { name: adoption.name } }, signal)
  const clients = [...new Set(adoption.found_in.map(({ client_type: type }) => type))].join(', ')
  out.line(`${adoption.name} is adopted: ${clients} now ${adoption.found_in.length > 1 ? 'use' : 'uses'} ${url}`)
  if (adoption.secrets.length > 0)
    out.note(printable(`Its keys are in the secret store: ${adoption.secrets.join(', ')}`))
  for (const note of adoption.notes) out.note(printable(note))
}
