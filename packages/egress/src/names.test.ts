import { connect } from 'node:net'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { type Answer, decode, encode, type RecordType } from 'dns-packet'
import { describe, expect, it, onTestFinished } from 'vitest'
import { fc } from '@toolhaven/testing/properties'
import type { OutboundRules, Sighting } from '@toolhaven/core/ports/egress'
import { EgressGate, type EgressGateOptions } from './egress-gate.ts'
import { type FoundRecord, NoSuchName } from './look-up-records.ts'
import { NameMap } from './name-map.ts'
import { askName, sayTo } from '../test/support/ask-name.ts'
import { PUBLIC, rules, temporaryFolder } from '../test/support/scene.ts'

const LIST = rules({ allowHost: ['api.example', '*.cdn.example', 'nas.example:445', 'localhost:5432'] })

const TABLE: Record<string, string[]> = {
  'inside.cdn.example': ['10.0.0.7'],
  'mixed.cdn.example': [PUBLIC, '10.0.0.7'],
  'local.cdn.example': ['127.0.0.1'],
  'metadata.cdn.example': ['169.254.169.254'],
  'none.cdn.example': [],
  'nas.example': ['10.0.0.7'],
}

/** A gate that answers names from a table, and remembers whom it asked about. */
async function openNames(given: OutboundRules, options: Partial<EgressGateOptions> = {}, most?: number) {
  const folder = await temporaryFolder()
  const map = new NameMap(join(folder, 'map'), most)
  onTestFinished(() => map.close())
  const asked: string[] = []
  const seen: Sighting[] = []
  const blocked: (string | undefined)[] = []
  const gate = new EgressGate({
    socketPath: join(folder, 'p'),
    rules: given,
    onDecision: ({ isAllowed, reason }) => void (isAllowed || blocked.push(reason)),
    onSeen: (sighting) => seen.push(sighting),
    resolve: async (host) => {
      asked.push(host)
      return TABLE[host] ?? [PUBLIC]
    },
    lookUpRecords: async (name, kind) => {
      asked.push(`${kind} ${name}`)
      return []
    },
    ...options,
  })
  const path = join(folder, 'n')
  await gate.openNames(path, map)
  onTestFinished(() => gate.close())
  return { path, map, asked, seen, blocked }
}

const dataOf = ({ answers = [] }: { answers?: Answer[] | undefined }) =>
  answers.map((answer) => ('data' in answer ? answer.data : undefined))

describe('a question for an address', () => {
  it('of a listed name is answered with one that stands for it', async () => {
    const { path, map, blocked } = await openNames(LIST)
    const answer = await askName(path, 'API.example')
    expect(answer).toMatchObject({ id: 7, rcode: 'NOERROR', questions: [{ name: 'API.example', type: 'A' }] })
    const [address] = dataOf(answer)
    expect(map.nameOf(String(address))).toBe('api.example')
    expect(dataOf(await askName(path, 'api.example'))).toEqual([address])
    expect(dataOf(await askName(path, 'a.cdn.example'))).not.toEqual([address])
    expect(blocked).toEqual([])
  })

  it.each(['other.example', 'x.api.example', 'cdn.example', '6b6579.tunnel.example', 'api.example.evil.example'])(
    'of %s, which nobody listed, has no answer, asks nobody, and is told',
    async (name) => {
      const { path, asked, seen, blocked, map } = await openNames(LIST)
      for (const type of ['A', 'AAAA', 'TXT', 'SRV', 'MX', 'CNAME', 'NS', 'NULL'] as const)
        expect(await askName(path, name, type)).toMatchObject({ rcode: 'NXDOMAIN', answers: [] })
      expect(asked).toEqual([])
      expect(map.addressOf('first.example')).toBe('198.18.1.0')
      expect(seen[0]).toEqual({ host: name, port: 0, outcome: 'unlisted', reason: `${name} is not in allow_host` })
      expect(blocked[0]).toBe(`blocked: ${name} is not in allow_host`)
    },
  )

  it.each([
    ['leads to a private network', 'inside.cdn.example', 'refused'],
    ['leads there among others', 'mixed.cdn.example', 'refused'],
    ['leads to this machine', 'local.cdn.example', 'refused'],
    ['leads to metadata', 'metadata.cdn.example', 'refused'],
    ['leads nowhere', 'none.cdn.example', 'unreachable'],
  ])('of a listed name that %s has no answer, and does not say where it leads', async (_what, name, outcome) => {
    const { path, seen } = await openNames(LIST)
    expect(await askName(path, name)).toMatchObject({ rcode: 'NXDOMAIN', answers: [] })
    expect(seen).toMatchObject([{ host: name, port: 0, outcome }])
    expect(JSON.stringify(seen)).not.toMatch(/10\.0\.0|127\.0|169\.254/)
  })

  it('of a private name that is listed with its port is answered', async () => {
    const { path } = await openNames(LIST)
    expect(dataOf(await askName(path, 'nas.example'))).toEqual([expect.stringMatching(/^198\.18\./)])
  })

  it('by IPv6 is answered with nothing, so that programs take the other', async () => {
    const { path, asked } = await openNames(LIST)
    expect(await askName(path, 'api.example', 'AAAA')).toMatchObject({ rcode: 'NOERROR', answers: [] })
    expect(asked).toEqual([])
  })

  it('of localhost is this machine as the workload sees it', async () => {
    const { path } = await openNames(rules({}))
    expect(dataOf(await askName(path, 'localhost'))).toEqual(['127.0.0.1'])
    expect(dataOf(await askName(path, 'db.localhost'))).toEqual(['127.0.0.1'])
    expect(dataOf(await askName(path, 'localhost', 'AAAA'))).toEqual([])
  })

  it('has no answer when the map is full, and says so', async () => {
    const { path, blocked } = await openNames(rules({ allowAll: true }), {}, 1)
    expect(dataOf(await askName(path, 'a.example'))).toHaveLength(1)
    expect(await askName(path, 'b.example')).toMatchObject({ rcode: 'NXDOMAIN' })
    expect(dataOf(await askName(path, 'a.example'))).toHaveLength(1)
    expect(blocked).toEqual([expect.stringContaining('b.example is one name too many')])
  })

  it.each(['7.0.0.10.in-addr.arpa', '1.0.0.0.ip6.arpa'])('of %s has no answer and asks nobody', async (name) => {
    const { path, asked, seen } = await openNames(rules({ allowAll: true }))
    expect(await askName(path, name, 'PTR')).toMatchObject({ rcode: 'NXDOMAIN' })
    expect([asked, seen]).toEqual([[], []])
  })

  it('is told when the resolver fails, and later ones are answered', async () => {
    const { path } = await openNames(rules({ allowAll: true }), { resolve: () => Promise.reject(new Error('no')) })
    expect(await askName(path, 'a.example')).toMatchObject({ rcode: 'NXDOMAIN' })
  })

  it('says that it failed, not that there is no such name, when it waited too long for its turn', async () => {
    const never = Promise.withResolvers<string[]>()
    const resolve = (host: string) => (host === 'quick.example' ? Promise.resolve([PUBLIC]) : never.promise)
    const { path, seen } = await openNames(rules({ allowAll: true }), { resolve, lookupWaitMs: 20 })
    const slow = Array.from({ length: 8 }, (_, at) => askName(path, `slow${at}.example`))
    await expect.poll(async () => (await askName(path, 'quick.example')).rcode).toBe('SERVFAIL')
    expect(seen).toEqual([])
    never.resolve([PUBLIC])
    await Promise.all(slow)
    expect(await askName(path, 'quick.example')).toMatchObject({ rcode: 'NOERROR' })
  })

  it('asks other people’s servers only so often', async () => {
    let now = 0
    const { path, asked } = await openNames(rules({ allowAll: true }), { now: () => now })
    const codes: (string | undefined)[] = []
    for (let at = 0; at < 510; at += 1) codes.push((await askName(path, `${at}.example`)).rcode)
    expect(asked).toHaveLength(500)
    expect(codes.slice(500)).toEqual(Array.from({ length: 10 }, () => 'SERVFAIL'))
    now = 10_000
    expect(await askName(path, 'a.example')).toMatchObject({ rcode: 'NOERROR' })
  })
})

describe('a question for other records', () => {
  const SRV: FoundRecord[] = ['one.cdn.example', 'inside.cdn.example', 'other.example'].map((target) => ({
    data: { type: 'SRV', data: { target, port: 27_017, priority: 1, weight: 2 } },
    target,
  }))

  it('is passed on for listed names, and does not tell names of private networks', async () => {
    const { path } = await openNames(LIST, { lookUpRecords: async () => SRV })
    const told = [
      { target: 'one.cdn.example', port: 27_017, priority: 1, weight: 2 },
      // Nobody listed it: the program hears so, and its owner too, when it is used.
      { target: 'other.example', port: 27_017, priority: 1, weight: 2 },
    ]
    expect(dataOf(await askName(path, '_mongodb._tcp.api.example', 'SRV'))).toEqual(told)
  })

  const OTHERS: [RecordType, FoundRecord][] = [
    ['TXT', { data: { type: 'TXT', data: [Buffer.from('a=b'), Buffer.from('c')] } }],
    ['MX', { data: { type: 'MX', data: { exchange: 'mail.example', preference: 5 } }, target: 'mail.example' }],
    ['CNAME', { data: { type: 'CNAME', data: 'real.example' }, target: 'real.example' }],
  ]
  it.each(OTHERS)('is answered: %s', async (type, record) => {
    const { path } = await openNames(LIST, { lookUpRecords: async () => [record] })
    expect(dataOf(await askName(path, 'api.example', type))).toEqual([record.data.data])
  })

  it.each([
    '_6b6579._tcp.api.example',
    '_mongodb._6b6579.api.example',
    '_mongodb._tcp.x.api.example',
    '_tcp.api.example',
  ])('carries nothing out in the name %s', async (name) => {
    const { path, asked } = await openNames(LIST)
    expect(await askName(path, name, 'SRV')).toMatchObject({ rcode: 'NXDOMAIN' })
    expect(asked).toEqual([])
  })

  it('says when there is no such name, and when nobody knows', async () => {
    const none = await openNames(LIST, { lookUpRecords: () => Promise.reject(new NoSuchName()) })
    expect(await askName(none.path, 'api.example', 'TXT')).toMatchObject({ rcode: 'NXDOMAIN' })
    const broken = await openNames(LIST, { lookUpRecords: () => Promise.reject(new Error('timeout')) })
    expect(await askName(broken.path, 'api.example', 'TXT')).toMatchObject({ rcode: 'SERVFAIL' })
  })

  it('fits into what the program can take, and says what is missing', async () => {
    const record: FoundRecord = { data: { type: 'TXT', data: [Buffer.alloc(200, 'a')] } }
    const { path } = await openNames(LIST, { lookUpRecords: async () => Array.from({ length: 20 }, () => record) })
    const short = await askName(path, 'api.example', 'TXT')
    expect([short.answers?.length, short.flag_tc]).toEqual([2, true])
    const [type, name, options]: ['OPT', string, []] = ['OPT', '.', []]
    const option = {
      type,
      name,
      udpPayloadSize: 4096,
      extendedRcode: 0,
      ednsVersion: 0,
      flags: 0,
      flag_do: false,
      options,
    }
    const long = await askName(path, 'api.example', 'TXT', { additionals: [option] })
    expect(long.answers?.length).toBeGreaterThan(10)
  })

  it('of another kind has no records', async () => {
    const { path, asked } = await openNames(LIST)
    for (const type of ['NS', 'SOA', 'CAA', 'LOC'] as const)
      expect(await askName(path, 'api.example', type)).toMatchObject({ rcode: 'NOERROR', answers: [] })
    expect(asked).toEqual([])
  })
})

describe('a message that is not a question', () => {
  const question = { type: 'A', name: 'api.example', class: 'IN' } as const
  const sized = (message: Buffer) => Buffer.concat([Buffer.from([message.length >> 8, message.length & 255]), message])

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['too short a one', Buffer.from([0, 3, 1, 2, 3])],
    ['a length and no message', Buffer.from([0, 12])],
    ['one that is too long', sized(Buffer.alloc(2_000))],
    ['an answer', sized(encode({ type: 'response', id: 1, questions: [question] }))],
  ])('%s ends the connection', async (_what, bytes) => {
    const { path } = await openNames(LIST)
    const socket = connect(path)
    socket.end(bytes)
    expect(await buffer(socket)).toHaveLength(0)
  })

  it.each([
    ['two questions', encode({ type: 'query', id: 9, questions: [question, question] }), 'FORMERR'],
    ['no question', encode({ type: 'query', id: 9, questions: [] }), 'FORMERR'],
    ['a name that points at itself', Buffer.from('000901000001000000000000c00c00010001', 'hex'), 'FORMERR'],
    ['another class', encode({ type: 'query', id: 9, questions: [{ ...question, class: 'CH' }] }), 'NOTIMP'],
    [
      'bytes that are no name below localhost',
      encode({ type: 'query', id: 9, questions: [{ ...question, name: 'ä.localhost' }] }),
      'FORMERR',
    ],
    [
      'what is not a name',
      encode({ type: 'query', id: 9, questions: [{ ...question, name: 'a b.example' }] }),
      'FORMERR',
    ],
  ])('%s is answered with a fault', async (_what, message, rcode) => {
    const { path, asked } = await openNames(rules({ allowAll: true }))
    expect(decode((await sayTo(path, sized(message))).subarray(2))).toMatchObject({ id: 9, rcode, answers: [] })
    expect(asked).toEqual([])
  })

  it('of any bytes never stops the gate, and asks nobody about what is not listed', async () => {
    const { path, asked } = await openNames(LIST)
    const valid = encode({ type: 'query', id: 1, flags: 0x100, questions: [question] })
    const hostile = fc.oneof(
      fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
      fc.array(fc.tuple(fc.nat(valid.length - 1), fc.nat(255)), { maxLength: 4 }).map((changes) => {
        const changed = Buffer.from(valid)
        for (const [at, value] of changes) changed[at] = value
        return changed
      }),
    )
    await fc.assert(fc.asyncProperty(hostile, async (message) => void (await sayTo(path, sized(message)))))
    expect(asked.filter((name) => !/(^| )(api\.example|[^ ]+\.cdn\.example|nas\.example)$/.test(name))).toEqual([])
    expect(dataOf(await askName(path, 'api.example'))).toHaveLength(1)
  })
})
