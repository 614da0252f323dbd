import type { Evidence, LeftOut, Lesson } from '@toolhaven/contract/lesson'
import { parseListedHost, showPlace } from '@toolhaven/contract/listed-host'
import type { PermissionProfile } from '@toolhaven/contract/permission-profile'
import { isPublicAddress } from '../../net/address-reach.ts'
import { listedHostReach } from '../../net/host-reach.ts'
import { entriesFor, isListedHost, isWildcard } from '../../net/is-listed-host.ts'
import type { SeenPlace, StoredSightings, StoredWorkload } from '../../ports/stores.ts'
import { compareNames } from '../running/book.ts'

type Outbound = NonNullable<NonNullable<PermissionProfile['network']>['outbound']>

/** Ports of a list of hosts that names none. */
const WEB_PORTS: readonly number[] = [80, 443]

const NOTHING_KNOWN =
  'it reached nothing that a list can allow, so no smaller profile is known to work: its profile stays as it is'

/**
 * The smallest profile with which everything that was seen would have worked. While a list is in force, those who made it
 * decided on its lines: it stays, and what it blocked is added. Pure.
 */
export function lessonOf(stored: StoredWorkload, seen: StoredSightings, own: readonly string[] = []): Lesson {
  const { config } = stored
  const mode = config.network_isolation_mode ?? 'enforce'
  const { profile, unconfirmed } = agreedProfile(stored, own)
  const before = profile.network?.outbound ?? {}
  const kept = mode === 'enforce' && !before.insecure_allow_all && before.allow_host?.length ? before : {}
  const isUse = (place: SeenPlace) => reasonAgainst(place, before.allow_host ?? []) === undefined
  const uses = withoutQuestions(seen.places.filter(isUse))
  const evidence = evidenceOf(uses)
  const outbound = smallest(uses, kept, before.allow_host ?? [])
  const leftOut = leftOutOf(seen.places, evidence, before.allow_host ?? [])
  const { read, write, privileged } = profile
  // A server that tried to get somewhere and could not does not work without a network, as far as anybody knows.
  const isUnknown = Object.keys(outbound).length === 0 && leftOut.length > 0
  return {
    name: config.name,
    mode,
    since: seen.since,
    permission_profile: isUnknown
      ? (config.permission_profile ?? {})
      : {
          ...(Object.keys(outbound).length === 0 && { name: 'none' }),
          ...(read && { read }),
          ...(write && { write }),
          ...(privileged && { privileged }),
          network: { outbound },
        },
    evidence,
    left_out: leftOut,
    notes: [
      ...(isUnknown
        ? [NOTHING_KNOWN]
        : evidence.length === 0 && mode === 'observe'
          ? ['it used no network so far']
          : []),
      ...notesOnPlaces(evidence, outbound, before, mode),
      ...(seen.dropped > 0 ? [`it tried more places than are kept: ${seen.dropped} attempts are not in here`] : []),
      ...(config.volumes?.length || read?.length || write?.length
        ? ['which files of its mounts it used is not seen from outside: mounts stay as they are']
        : []),
      ...(unconfirmed.length > 0
        ? [`left out, because the registry entry asks for it and nobody confirmed: ${unconfirmed.join(', ')}`]
        : []),
    ],
  }
}

/**
 * The profile in force without what a registry entry asks for and nobody confirmed (`accept_mounts`, `accept_network`): in the
 * profile of a lesson it would be the user's own wish.
 */
function agreedProfile(
  { config, asked, profileOrigin }: StoredWorkload,
  own: readonly string[],
): {
  profile: PermissionProfile
  unconfirmed: readonly string[]
} {
  const { permission_profile: inForce = {} } = config
  if (profileOrigin !== 'registry') return { profile: inForce, unconfirmed: [] }
  const { read = [], write = [], privileged, ...others } = inForce
  const outbound = others.network?.outbound ?? {}
  const isAgreed = (host: string) =>
    asked.accept_network === true ||
    asked.allow_hosts?.includes(host) === true ||
    listedHostReach(host, own) !== 'private'
  const network = { outbound: { ...outbound, allow_host: (outbound.allow_host ?? []).filter(isAgreed) } }
  if (asked.accept_mounts === true) return { profile: { ...inForce, network }, unconfirmed: [] }
  return { profile: { ...others, network }, unconfirmed: [...read, ...write, ...(privileged ? ['privileged'] : [])] }
}

/** What was only asked for by name has no port; where the program connected after all, that says more. */
function withoutQuestions(uses: readonly SeenPlace[]): SeenPlace[] {
  const connected = new Set(uses.filter(({ port }) => port !== 0).map(({ host }) => host))
  return uses.filter(({ host, port }) => port !== 0 || !connected.has(host))
}

/** Undefined when a profile can allow it and should. */
function reasonAgainst({ host, port, outcome, reason }: SeenPlace, listed: readonly string[]): string | undefined {
  if (outcome !== 'reached' && outcome !== 'unlisted') return reason ?? outcome
  const isAddress = host.includes(':') || /^[\d.]+$/.test(host)
  const isPrivate = isAddress ? !isPublicAddress(host) : host === 'localhost'
  const isMeant = (entry: { host: string; port?: number }) =>
    entry.port === undefined ? entry.host === host : entry.port === port
  if (!isPrivate || entriesFor(listed, host).some(isMeant)) return undefined
  return `it is an address of this machine or a private network; if that is meant, put ${showPlace({ host, port })} into allow_host yourself`
}

function smallest(uses: readonly SeenPlace[], kept: Outbound, before: readonly string[]): Outbound {
  const listed = kept.allow_host ?? []
  // A host that somebody listed with its port stays in that form. One below a wildcard does not get it: a wildcard never leads to
  // a private address, and a name with its port may.
  const isWithPort = ({ host }: SeenPlace) => {
    const entries = entriesFor(before, host)
    return entries.length > 0 && entries.every((entry) => entry.port !== undefined && !isWildcard(entry))
  }
  const rest = uses.filter((use) => !entriesFor(listed, use.host).some(({ port }) => port === use.port))
  const places = rest.filter((use) => use.port !== 0 && isWithPort(use))
  const apart = rest.filter((use) => !isWithPort(use))
  const isOpen = ({ host }: SeenPlace) => entriesFor(listed, host).some(({ port }) => port === undefined)
  const added = [...places.map(showPlace), ...apart.filter((use) => !isOpen(use)).map(({ host }) => host)]
  const hosts = [...listed, ...[...new Set(added)].toSorted(compareNames)]
  const ports = portsOf(apart, kept)
  if (hosts.length === 0) return {}
  // Only a port that is listed carries more than TLS and requests to the proxy: not to list the web's own is smaller.
  const isWeb = ports.length === WEB_PORTS.length && ports.every((port) => WEB_PORTS.includes(port))
  const isPlain = apart.every(({ speaks }) => speaks.every((each) => each === 'tls' || each === 'http'))
  return { allow_host: hosts, ...(ports.length > 0 && !(isWeb && isPlain) && { allow_port: ports }) }
}

/** Ports of the hosts that are listed without one. */
function portsOf(uses: readonly SeenPlace[], { allow_host: hosts = [], allow_port: ports = [] }: Outbound): number[] {
  const isWeb = ports.length === 0 && hosts.some((entry) => parseListedHost(entry)?.port === undefined)
  const used = uses.map(({ port }) => port).filter((port) => port !== 0)
  return [...new Set([...(isWeb ? WEB_PORTS : ports), ...used])].toSorted((a, b) => a - b)
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
    const isUsed = evidence.some((each) => each.host === host && (each.port === port || port === 0))
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
  const isUsed = (entry: string) =>
    evidence.some((each) => entriesFor([entry], each.host).some(({ port = each.port }) => port === each.port))
  const unused = before.insecure_allow_all ? [] : (before.allow_host ?? []).filter((entry) => !isUsed(entry))
  const open = hosts.filter((entry) => parseListedHost(entry)?.port === undefined)
  const apart = evidence.filter(({ host, port }) => port !== 0 && isListedHost(open, host))
  const places = new Set(apart.map(showPlace))
  const isProduct = new Set(apart.map(({ port }) => port)).size > 1 && places.size < open.length * ports.length
  return [
    ...(unused.length > 0
      ? [`in the list before and not used since: ${unused.join(', ')}${mode === 'enforce' ? '; it stays' : ''}`]
      : []),
    ...(isProduct ? ['a profile lists hosts and ports apart: each of these hosts may be reached at each port'] : []),
  ]
}
