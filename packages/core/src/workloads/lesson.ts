import type { Evidence, LeftOut, Lesson } from '@toolhaven/contract/lesson'
import type { PermissionProfile } from '@toolhaven/contract/permission-profile'
import { isPublicAddress } from '../net/address-reach.ts'
import { isListedHost } from '../net/is-listed-host.ts'
import type { SeenPlace, StoredSightings, StoredWorkload } from '../ports/stores.ts'
import { compareNames } from './book.ts'

type Outbound = NonNullable<NonNullable<PermissionProfile['network']>['outbound']>

/** Ports of a list of hosts that names none. */
const WEB_PORTS: readonly number[] = [80, 443]

/**
 * The smallest profile with which everything that was seen would have worked. While a list is in force, those who made it
 * decided on its lines: it stays, and what it blocked is added. Pure.
 */
export function lessonOf({ config }: StoredWorkload, seen: StoredSightings): Lesson {
  const mode = config.network_isolation_mode ?? 'enforce'
  const before = config.permission_profile?.network?.outbound ?? {}
  const kept = mode === 'enforce' && !before.insecure_allow_all && before.allow_host?.length ? before : {}
  const isUse = (place: SeenPlace) => reasonAgainst(place, before.allow_host ?? []) === undefined
  const uses = seen.places.filter(isUse)
  const evidence = evidenceOf(uses)
  const outbound = smallest(uses, kept)
  const { read, write, privileged } = config.permission_profile ?? {}
  return {
    name: config.name,
    mode,
    since: seen.since,
    permission_profile: {
      ...(Object.keys(outbound).length === 0 && { name: 'none' }),
      ...(read && { read }),
      ...(write && { write }),
      ...(privileged && { privileged }),
      network: { outbound },
    },
    evidence,
    left_out: leftOutOf(seen.places, evidence, before.allow_host ?? []),
    notes: [
      ...notesOnPlaces(evidence, outbound, before, mode),
      ...(seen.dropped > 0 ? [`it tried more places than are kept: ${seen.dropped} attempts are not in here`] : []),
      ...(config.volumes?.length || read?.length || write?.length
        ? ['which files of its mounts it used is not seen from outside: mounts stay as they are']
        : []),
    ],
  }
}

/** Undefined when a profile can allow it and should. */
function reasonAgainst({ host, outcome, reason }: SeenPlace, listed: readonly string[]): string | undefined {
  if (outcome !== 'reached' && outcome !== 'unlisted') return reason ?? outcome
  const isAddress = host.includes(':') || /^[\d.]+$/.test(host)
  if (!isAddress || isPublicAddress(host) || listed.includes(host)) return undefined
  return 'it is an address of this machine or a private network; if that is meant, put it into allow_host yourself'
}

function smallest(uses: readonly SeenPlace[], kept: Outbound): Outbound {
  const listed = kept.allow_host ?? []
  const added = uses.filter(({ host }) => !isListedHost(listed, host)).map(({ host }) => host)
  const hosts = [...listed, ...[...new Set(added)].toSorted(compareNames)]
  if (hosts.length === 0) return {}
  const before = listed.length === 0 ? [] : kept.allow_port?.length ? kept.allow_port : WEB_PORTS
  const ports = [...new Set([...before, ...uses.map(({ port }) => port)])].toSorted((a, b) => a - b)
  // Only a port that is listed carries more than TLS and requests to the proxy: not to list the web's own is smaller.
  const isWeb = ports.length === WEB_PORTS.length && ports.every((port) => WEB_PORTS.includes(port))
  const isPlain = uses.every(({ speaks }) => speaks.every((each) => each === 'tls' || each === 'http'))
  return { allow_host: hosts, ...(!(isWeb && isPlain) && { allow_port: ports }) }
}

/** By host and port, whether it was let through or not. */
function evidenceOf(uses: readonly SeenPlace[]): Evidence[] {
  const found = new Map<string, Evidence>()
  for (const { host, port, outcome, speaks, paths, count, firstAt, lastAt } of uses) {
    const key = `${host} ${port}`
    const known = found.get(key)
    const blocked = outcome === 'unlisted' ? count : 0
    found.set(key, {
      ...{ host, port },
      count: (known?.count ?? 0) + count,
      blocked: (known?.blocked ?? 0) + blocked,
      first_seen: known && known.first_seen < firstAt ? known.first_seen : firstAt,
      last_seen: known && known.last_seen > lastAt ? known.last_seen : lastAt,
      speaks: [...new Set([...(known?.speaks ?? []), ...speaks])],
      paths: [...new Set([...(known?.paths ?? []), ...paths])],
    })
  }
  return [...found.values()].toSorted((a, b) => compareNames(a.host, b.host) || a.port - b.port)
}

function leftOutOf(places: readonly SeenPlace[], evidence: readonly Evidence[], listed: readonly string[]): LeftOut[] {
  return places.flatMap((place) => {
    const { host, port, outcome, count, firstAt, lastAt } = place
    const reason = reasonAgainst(place, listed)
    if (reason === undefined) return []
    // That it did not answer every time says nothing about a place it also reached.
    const isUsed = evidence.some((each) => each.host === host && each.port === port)
    if (outcome === 'unreachable' && isUsed) return []
    return [{ host, port, count, first_seen: firstAt, last_seen: lastAt, reason }]
  })
}

function notesOnPlaces(
  evidence: readonly Evidence[],
  { allow_host: hosts = [], allow_port: ports = [...WEB_PORTS] }: Outbound,
  before: Outbound,
  mode: Lesson['mode'],
): string[] {
  const isUsed = (entry: string) => evidence.some(({ host }) => isListedHost([entry], host))
  const unused = before.insecure_allow_all ? [] : (before.allow_host ?? []).filter((entry) => !isUsed(entry))
  const places = new Set(evidence.map(({ host, port }) => `${host} ${port}`))
  const isProduct = new Set(evidence.map(({ port }) => port)).size > 1 && places.size < hosts.length * ports.length
  return [
    ...(evidence.length === 0 && mode === 'observe'
      ? ['it used no network so far; programs that ignore the proxy variables are not seen']
      : []),
    ...(unused.length > 0
      ? [`in the list before and not used since: ${unused.join(', ')}${mode === 'enforce' ? '; it stays' : ''}`]
      : []),
    ...(isProduct ? ['a profile lists hosts and ports apart: each of these hosts may be reached at each port'] : []),
  ]
}
