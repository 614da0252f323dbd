import type { Evidence, LeftOut, Lesson } from '@toolhaven/contract/lesson'
import { type ListedHost, parseListedHost, showHost, showPlace } from '@toolhaven/contract/listed-host'
import { outboundPolicy, type PermissionProfile } from '@toolhaven/contract/permission-profile'

/** A host, with what is known of it from all sides. */
export interface Place {
  /** As a list of hosts has it. */
  entry: string
  isAsked: boolean
  /** How it is given. */
  given: 'listed' | 'below a wildcard' | 'every public host' | 'no'
  observed: Evidence[]
  refused: (Evidence | LeftOut)[]
  /** What one click does. */
  action?: { kind: 'allow' | 'remove'; host: string }
}

const WEB_PORTS: readonly number[] = [80, 443]

export interface Sources {
  /** What the registry asks for. */
  asked: PermissionProfile | undefined
  /** What is in force. */
  given: PermissionProfile | undefined
  lesson: Pick<Lesson, 'evidence' | 'left_out'> | null | undefined
  /** Every public host is allowed, whatever the profile says. */
  isObserved?: boolean
}

/** What is asked for, given, observed and refused, by host. */
export function placesOf({ asked, given, lesson, isObserved = false }: Sources): Place[] {
  const { allow_host: askedHosts = [] } = asked?.network?.outbound ?? {}
  const { allow_host: givenHosts = [] } = given?.network?.outbound ?? {}
  const seen = [...(lesson?.evidence ?? []), ...(lesson?.left_out ?? [])]
  const listed = [...new Set([...givenHosts, ...askedHosts])]
  const entries = [...new Set([...listed, ...seen.map((place) => entryOf(place, listed))])]
  return entries.map((entry) => {
    const here = <Seen extends Evidence | LeftOut>(places: readonly Seen[]) =>
      places.filter((place) => entryOf(place, listed) === entry)
    const [evidence, left] = [here(lesson?.evidence ?? []), here(lesson?.left_out ?? [])]
    const place = {
      entry,
      isAsked: askedHosts.includes(entry),
      given: howGiven(entry, given ?? {}, isObserved),
      observed: evidence.filter(({ count, blocked }) => count > blocked),
      refused: [...evidence.filter(({ blocked }) => blocked > 0), ...left],
    }
    const action = actionOf(place, givenHosts)
    return { ...place, ...(action && { action }) }
  })
}

type Seen = Pick<Evidence, 'host' | 'port'>

/** The line that a place belongs to: the entry that names it, or one of its own. */
function entryOf(place: Seen, listed: readonly string[]): string {
  const own = listed.find((text) => {
    const entry = parseListedHost(text)
    return entry?.host === place.host && (entry.port === undefined || entry.port === place.port)
  })
  return own ?? hostEntry(place)
}

/** A port of the web needs no mention. Port 0 is a name that was only asked for. */
function hostEntry({ host, port }: Seen): string {
  return port === 0 || WEB_PORTS.includes(port) ? showHost(host) : showPlace({ host, port })
}

function howGiven(text: string, profile: PermissionProfile, isObserved: boolean): Place['given'] {
  const { allow_host: hosts = [] } = profile.network?.outbound ?? {}
  if (hosts.includes(text)) return 'listed'
  const entry = parseListedHost(text)
  if (entry && hosts.some((each) => isBelow(entry, parseListedHost(each)))) return 'below a wildcard'
  const isOpen = isObserved || outboundPolicy(profile) === 'everything'
  return isOpen && entry && !isPrivate(entry) ? 'every public host' : 'no'
}

function isBelow({ host }: ListedHost, wildcard: ListedHost | undefined): boolean {
  const suffix = /^\*?(\..+)$/.exec(wildcard?.host ?? '')?.[1]
  return suffix !== undefined && host.endsWith(suffix) && host.length > suffix.length
}

/** A private host is reached only where it is named. The daemon knows all of them; a wrong guess only costs a button. */
const isPrivate = ({ host }: ListedHost) =>
  /^(?:localhost|127\.|10\.|192\.168\.|169\.254\.|172\.(?:1[6-9]|2\d|3[01])\.|::1$|f[cde])/.test(host)

function actionOf({ entry, given, refused }: Omit<Place, 'action'>, listed: readonly string[]): Place['action'] {
  if (given === 'no') return { kind: 'allow', host: privateEntry(entry, refused) }
  // It is named, and was refused at a port that the list does not have.
  const other = refused.find(({ port, ...seen }) => 'blocked' in seen && port !== 0 && !WEB_PORTS.includes(port))
  const more = other && showPlace(other)
  if (more !== undefined && more !== entry && !listed.includes(more)) return { kind: 'allow', host: more }
  return given === 'listed' ? { kind: 'remove', host: entry } : undefined
}

/** A private host is allowed with its port only. */
function privateEntry(entry: string, refused: readonly Seen[]): string {
  const parsed = parseListedHost(entry)
  const [first] = refused
  const needsPort = parsed && isPrivate(parsed) && parsed.port === undefined && first !== undefined && first.port !== 0
  return needsPort ? showPlace(first) : entry
}
