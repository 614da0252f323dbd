import type { Context } from '../context.ts'
import { printable } from '@toolhaven/contract/visible-text'
import { ADOPTABLE, chooseNamed } from './choose-named.ts'
import { describeServer } from './describe-server.ts'

/** Shows what was found. Changes nothing. */
export async function showFindings(context: Context, names: readonly string[], format: string): Promise<void> {
  const { out, signal } = context
  const found = await (await context.daemon()).call('discoverServers', {}, signal)
  const servers = names.length > 0 ? chooseNamed(found.servers, names, ADOPTABLE) : found.servers
  if (format === 'json') return out.json({ ...found, servers })
  for (const server of servers) for (const line of describeServer(out, server)) out.line(line)
  for (const { client_type: client, reason } of found.faults) out.note(printable(`${client}: ${reason}`))
  if (servers.length === 0) out.note('No client has a server of its own: there is nothing to adopt.')
  const done = found.adoptions.map(({ name }) => name)
  if (done.length > 0) out.note(`Adopted before: ${done.join(', ')}; "thv adopt --undo" gives them back.`)
}
