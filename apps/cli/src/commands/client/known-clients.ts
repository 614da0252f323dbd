import { notFound } from '@toolhaven/core/errors'
import type { CallResult } from '@toolhaven/contract/client'
import type { DaemonClient } from '../../connect/daemon-client.ts'
import { orDidYouMean } from '../../output/did-you-mean.ts'

export type KnownClient = CallResult<'discoverClients'>['clients'][number]

/** Resolves client names in either spelling (`RooCode`, `roo-code`). Throws for an unknown one, with a suggestion. */
export async function knownClients(
  daemon: DaemonClient,
  names: readonly string[],
  signal: AbortSignal,
): Promise<KnownClient[]> {
  const { clients } = await daemon.call('discoverClients', {}, signal)
  const byName = new Map(clients.map((client) => [spelling(client.client_type), client]))
  const known = async () => clients.map((client) => client.client_type)
  const unknown = names.filter((name) => !byName.has(spelling(name)))
  const meant = unknown.length > 0 ? meantBy(unknown, [...byName.values()]) : undefined
  if (meant !== undefined)
    throw notFound(`client ${unknown.join(' ')} is not known\nDid you mean ${meant}? "thv client status" lists them.`)
  return orDidYouMean({ wanted: names, known, seeAll: 'thv client status' }, async () => {
    if (unknown.length > 0) throw notFound(`client ${unknown.join(', ')} is not known`)
    return [...new Set(names.flatMap((name) => byName.get(spelling(name)) ?? []))]
  })
}

/** `claude code` may be one client written as two words, and `claude` the beginning of its name. */
function meantBy(unknown: readonly string[], clients: readonly KnownClient[]): string | undefined {
  const typed = spelling(unknown.join(''))
  const names = clients.map((client) => client.client_type)
  const begun = names.filter((name) => spelling(name).startsWith(typed))
  return names.find((name) => spelling(name) === typed) ?? (begun.length > 0 ? begun.join(' or ') : undefined)
}

/** A spelling for comparison. Dashes and case do not matter. */
const spelling = (name: string) => name.toLowerCase().replaceAll(/[-_ ]/g, '')
