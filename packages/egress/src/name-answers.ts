import type { Answer, Question } from 'dns-packet'
import type { OutboundRules } from '@toolhaven/core/ports/egress'
import { entriesFor } from '@toolhaven/core/net/is-listed-host'
import { Blocked, resolvedOrNone, Unlisted, Unreachable } from './dial.ts'
import { RCODE, type Rcode, readQuestion, writeAnswer } from './dns-message.ts'
import { type LookUpRecords, NoSuchName, type RecordKind, RECORD_KINDS } from './look-up-records.ts'
import type { NameMap } from './name-map.ts'
import { isNamed, judgeAddress, type OwnSide } from './outbound-policy.ts'
import { readName } from './read-destination.ts'
import type { Resolve } from './system-resolver.ts'

export interface NameAnswersOptions {
  rules: () => OutboundRules
  map: NameMap
  resolve: Resolve
  lookUpRecords: LookUpRecords
  own: () => OwnSide
  now: () => number
  /** A name that has no address for the workload, and the reason. */
  onRefused: (name: string, error: Error) => void
}

/** The map never changes, so this only decides how soon a program notices that a name is gone. */
const TTL_S = 60
/** Maximum DNS lookups at other servers. A program that needs more is probably sending data in names. */
const MOST_LOOKUPS = 500
const LOOKUPS_MS = 10_000
/** Enough, because lists of servers are short. */
const MOST_RECORDS = 32

/**
 * Services that programs find through SRV records. A list that names a host includes these names below it. No other names, because
 * a freely chosen name would carry data to the owner of the zone.
 */
const SERVICES =
  'mongodb postgresql mysql redis amqp amqps mqtt kafka nats ldap ldaps kerberos sip sips xmpp-client ' +
  'imap imaps pop3s submission submissions smtp caldav caldavs carddav carddavs http https etcd-client matrix'
const SERVICE_NAME = new RegExp(`^_(?:${SERVICES.replaceAll(' ', '|')})\\._(?:tcp|udp|tls)\\.`)

/** Answers the DNS questions of one workload. Looks up only names that its rules list. */
export class NameAnswers {
  readonly #options: NameAnswersOptions
  #lookups = { count: 0, since: 0 }

  constructor(options: NameAnswersOptions) {
    this.#options = options
  }

  /** Undefined if the message is not a question. */
  async answer(message: Buffer): Promise<Buffer | undefined> {
    const asked = readQuestion(message)
    if (asked === undefined) return undefined
    if (asked.question === undefined) return writeAnswer(asked, RCODE.formatError)
    try {
      const { rcode, answers = [] } = await this.#find(asked.question)
      // The answer does not echo a question without a valid name, because it could not be written faithfully.
      return writeAnswer(rcode === RCODE.formatError ? { ...asked, question: undefined } : asked, rcode, answers)
    } catch {
      return writeAnswer(asked, RCODE.serverFailure)
    }
  }

  async #find({ name: text, type, class: kind }: Question): Promise<{ rcode: Rcode; answers?: Answer[] }> {
    const isLocal = /^([\w-]+\.)*localhost$/i.test(text)
    const name = isLocal ? 'localhost' : readName(text)
    if (name === undefined) return { rcode: RCODE.formatError }
    if (kind !== 'IN') return { rcode: RCODE.notImplemented }
    if (isLocal) return { rcode: RCODE.noError, answers: type === 'A' ? [addressRecord(text, '127.0.0.1')] : [] }
    if (name.endsWith('.arpa')) return { rcode: RCODE.noSuchName }
    const rules = this.#options.rules()
    const named = type === 'SRV' ? name.replace(SERVICE_NAME, '') : name
    if (!isNamed(rules, named) && !isNamed(rules, name)) {
      // Programs ask for both IPv4 and IPv6. One record is enough.
      if (type !== 'AAAA') this.#options.onRefused(name, new Unlisted(`${name} is not in allow_host`))
      return { rcode: RCODE.noSuchName }
    }
    if (type === 'A') return this.#address(text, name)
    const kindOfRecord = RECORD_KINDS.find((each) => each === type)
    if (kindOfRecord !== undefined) return this.#records(text, name, kindOfRecord)
    return { rcode: RCODE.noError }
  }

  async #address(text: string, name: string): Promise<{ rcode: Rcode; answers?: Answer[] }> {
    const refusal = await this.#counted(() => this.#refusalOf(name))
    if (refusal === undefined) {
      const address = this.#options.map.addressOf(name)
      if (address !== undefined) return { rcode: RCODE.noError, answers: [addressRecord(text, address)] }
    }
    this.#options.onRefused(name, refusal ?? new Blocked(`${name} is one name too many; restart the workload`))
    return { rcode: RCODE.noSuchName }
  }

  /** Why the workload gets no address for a name that its rules list. */
  async #refusalOf(name: string): Promise<Error | undefined> {
    const addresses = await resolvedOrNone(this.#options.resolve, name)
    if (addresses.length === 0) return new Unreachable(`${name} has no address`)
    const rules = this.#options.rules()
    const own = this.#options.own()
    // A private address is allowed at one port only. The port is checked when the program connects.
    const ports = [0, ...entriesFor(rules.allowHost, name).map(({ port = 0 }) => port)]
    const isMeant = ports.some((port) =>
      addresses.every((address) => judgeAddress(rules, { host: name, port }, address, own).isAllowed),
    )
    return isMeant ? undefined : new Blocked(`${name} does not lead to a public address`)
  }

  async #records(text: string, name: string, kind: RecordKind): Promise<{ rcode: Rcode; answers?: Answer[] }> {
    try {
      const found = await this.#counted(() => this.#options.lookUpRecords(name, kind))
      const answers: Answer[] = []
      for (const { target, ...record } of found.slice(0, MOST_RECORDS))
        if (target === undefined || (await this.#mayTell(target)))
          answers.push({ ...record.data, name: text, ttl: TTL_S, class: 'IN' })
      return { rcode: RCODE.noError, answers }
    } catch (error) {
      if (error instanceof NoSuchName) return { rcode: RCODE.noSuchName }
      throw error
    }
  }

  /**
   * Does not reveal which names exist in this machine's network. A name that no list has is returned, and refused when it is used.
   */
  async #mayTell(target: string): Promise<boolean> {
    const name = readName(target)
    if (name === undefined) return false
    if (!isNamed(this.#options.rules(), name)) return true
    return (await this.#counted(() => this.#refusalOf(name))) === undefined
  }

  async #counted<T>(work: () => Promise<T>): Promise<T> {
    const now = this.#options.now()
    if (now - this.#lookups.since >= LOOKUPS_MS) this.#lookups = { count: 0, since: now }
    this.#lookups.count += 1
    if (this.#lookups.count > MOST_LOOKUPS) throw new Unreachable('too many names were asked for')
    return work()
  }
}

function addressRecord(name: string, data: string): Answer {
  return { type: 'A', class: 'IN', name, ttl: TTL_S, data }
}
