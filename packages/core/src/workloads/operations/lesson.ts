import type { Evidence, LeftOut, Lesson } from '@toolhaven/contract/lesson'
import { parseListedHost, showPlace } from '@toolhaven/contract/listed-host'
import type { PermissionProfile } from '@toolhaven/contract/permission-profile'
import { isPublicAddress } from '../../net/address-reach.ts'
import { listedHostReach } from '../../net/host-reach.ts'
import { entriesFor, isListedHost, isWildcard } from '../../net/is-listed-host.ts'
import type { SeenPlace, StoredSightings, StoredWorkload } from '../../ports/stores.ts'
import { compareNames } from '../running/book.ts'

type Outbound = NonNullable<NonNullable<PermissionProfile['network']>['outbound']>

/** The ports of a list of hosts without ports. */
const WEB_PORTS: readonly number[] = [80, 443]

const NOTHING_KNOWN =
  'it reached nothing that a list can allow, so no smaller profile is known to work; its profile stays unchanged'

/**
 * The smallest profile that would have allowed every recorded connection. If a list is in force, its lines stay, because a person
 * chose them, and what it blocked is added. A pure function.
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
  // A server that tried to connect and failed may need a network to work.
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
          ? ['it has not used the network so far']
          : []),
      ...notesOnPlaces(evidence, outbound, before, mode),
      ...(seen.dropped > 0
        ? [`it tried to reach more hosts than Toolhaven records: ${seen.dropped} attempts are missing here`]
        : []),
      ...(config.volumes?.length || read?.length || write?.length
        ? ['Toolhaven cannot see which mounted files it used, so mounts stay unchanged']
        : []),
      ...(unconfirmed.length > 0
        ? [
            `not included, because the registry entry asks for it and you have not confirmed it: ${unconfirmed.join(', ')}`,
          ]
        : []),
    ],
  }
}

/**
 * The profile in force, without what a registry entry asks for and nobody confirmed (`accept_mounts`, `accept_network`). In the
 * profile of a lesson, it would count as the user's own choice.
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

/** A DNS question has no port. If the program connected as well, the connection says more. */
function withoutQuestions(uses: readonly SeenPlace[]): SeenPlace[] {
  const connected = new Set(uses.filter(({ port }) => port !== 0).map(({ host }) => host))
  return uses.filter(({ host, port }) => port !== 0 || !connected.has(host))
}

/** Undefined if a profile can and should allow it. */
function reasonAgainst({ host, port, outcome, reason }: SeenPlace, listed: readonly string[]): string | undefined {
  if (outcome !== 'reached' && outcome !== 'unlisted') return reason ?? outcome
  const isAddress = host.includes(':') || /^[\d.]+$/.test(host)
  const isPrivate = isAddress ? !isPublicAddress(host) : host === 'localhost'
  const isMeant = (entry: { host: string; port?: number }) =>
    entry.port === undefined ? entry.host === host : entry.port === port
  if (!isPrivate || entriesFor(listed, host).some(isMeant)) return undefined
  return `it is an address of this machine or a private network; if you want to allow it, add ${showPlace({ host, port })} to allow_host yourself`
}

function smallest(uses: readonly SeenPlace[], kept: Outbound, before: readonly string[]): Outbound {
  const listed = kept.allow_host ?? []
  // A host that is listed with its port keeps that form. A host below a wildcard does not get it, because a wildcard never leads to
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
  // Only a listed port carries more than TLS and requests to the proxy, so not listing 80 and 443 is the smaller permission.
  const isWeb = ports.length === WEB_PORTS.length && ports.every((port) => WEB_PORTS.includes(port))
  const isPlain = apart.every(({ speaks }) => speaks.every((each) => each === 'tls' || each === 'http'))
  return { allow_host: hosts, ...(ports.length > 0 && !(isWeb && isPlain) && { allow_port: ports }) }
}

/** Ports for the hosts that are listed without one. */
function portsOf(uses: readonly SeenPlace[], { allow_host: hosts = [], allow_port: ports = [] }: Outbound): number[] {
  const isWeb = ports.length === 0 && hosts.some((entry) => parseListedHost(entry)?.port === undefined)
  const used = uses.map(({ port }) => port).filter((port) => port !== 0)
  return [...new Set([...(isWeb ? WEB_PORTS : ports), ...used])].toSorted((a, b) => a - b)
}

/** By host and port, whether or not it was let through. */
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
    // A host that was reached at least once counts as reached, even if it did not always answer.
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
      ? [`listed before, but not used since: ${unused.join(', ')}${mode === 'enforce' ? '; it stays' : ''}`]
      : []),
    ...(isProduct
      ? ['a profile lists hosts and ports separately, so each of these hosts may be reached at each port']
      : []),
  ]
}
