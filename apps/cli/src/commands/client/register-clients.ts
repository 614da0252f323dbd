import type { DaemonClient } from '../../connect/daemon-client.ts'
import type { Context } from '../../context.ts'
import { printable } from '@toolhaven/contract/visible-text'
import { orGroupMeant } from '../group/or-group-meant.ts'
import type { KnownClient } from './known-clients.ts'

export interface Registration {
  clients: readonly KnownClient[]
  /** Empty: the default group. */
  groups: readonly string[]
  format: string
}

/** Registers the clients and reports the result. */
export async function registerClients(
  { out, signal }: Context,
  daemon: DaemonClient,
  { clients, groups, format }: Registration,
): Promise<void> {
  const names = clients.map((client) => client.client_type)
  const body = { names, ...(groups.length > 0 && { groups: [...groups] }) }
  const registered = await orGroupMeant(daemon, groups, () => daemon.call('registerClients', { body }, signal), signal)
  if (format === 'json') out.json(registered)
  for (const client of registered) {
    if (format !== 'json') out.line(`${client.name} is registered; it sees: ${client.groups.join(', ')}`)
    for (const note of client.notes ?? []) if (note !== client.problem) out.note(printable(`${client.name}: ${note}`))
  }
  const absent = clients.filter(({ installed }) => !installed).map((client) => client.client_type)
  if (absent.length > 0)
    out.note(`Not installed here yet: ${absent.join(', ')}. Toolhaven writes the entries when it is.`)
  const failed = registered.flatMap(({ name, problem }) => (problem === undefined ? [] : [{ name, problem }]))
  if (failed.length === 0) return
  const { conflict } = await import('@toolhaven/core/errors')
  const reasons = failed.map(({ name, problem }) => `${name} did not get its entries: ${printable(problem)}`)
  const again = `thv client register ${failed.map(({ name }) => name).join(' ')}`
  throw conflict(`${reasons.join('\n')}\nFix this, then run "${again}" to write them.`)
}
