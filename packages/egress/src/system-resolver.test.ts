import { createSocket } from 'node:dgram'
import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decode, encode } from 'dns-packet'
import { afterEach, expect, it } from 'vitest'
import { EgressGate } from './egress-gate.ts'
import { NameMap } from './name-map.ts'
import { createSystemResolver } from './system-resolver.ts'
import { askName } from '../test/support/ask-name.ts'

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end()
})

const PUBLIC = '93.184.216.34'
const SIX = '2606:2800:220:1::1'

/** Answers from a table; of names that begin with "slow" it says nothing. */
async function openServer(table: Record<string, string[]>) {
  const asked: string[] = []
  const socket = createSocket('udp4')
  socket.on('message', (message, from) => {
    const { id = 0, questions = [] } = decode(message)
    const [question] = questions
    if (question === undefined) return
    asked.push(question.name)
    socket.emit(question.name)
    if (question.name.startsWith('slow')) return
    const found = table[question.name]?.filter((address) => address.includes(':') === (question.type === 'AAAA'))
    const type = question.type === 'AAAA' ? ('AAAA' as const) : ('A' as const)
    const answers = (found ?? []).map((data) => ({ type, name: question.name, ttl: 1, data }))
    socket.send(encode({ type: 'response', id, flags: found ? 0x180 : 0x183, questions, answers }), from.port)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  ends.push(() => socket.close())
  return { asked, socket, servers: [`127.0.0.1:${socket.address().port}`] }
}

async function makeFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'thv-resolver-'))
  ends.push(() => rm(folder, { recursive: true }))
  return folder
}

async function makeFiles(hosts: string, resolver: string) {
  const folder = await makeFolder()
  const files = { hostsFile: join(folder, 'hosts'), resolverFile: join(folder, 'resolv.conf') }
  await writeFile(files.hostsFile, hosts)
  await writeFile(files.resolverFile, resolver)
  return files
}

async function openGate(servers: readonly string[]) {
  const folder = await makeFolder()
  const map = new NameMap(join(folder, 'map'))
  const gate = new EgressGate({
    socketPath: join(folder, 'p'),
    rules: { allowHost: [], allowPort: [], allowAll: true },
    onDecision: () => undefined,
    resolve: createSystemResolver({ servers, hostsFile: '/dev/null', resolverFile: '/dev/null' }),
  })
  await gate.openNames(join(folder, 'n'), map)
  ends.push(
    () => map.close(),
    () => gate.close(),
  )
  return join(folder, 'n')
}

it('answers one workload, and the daemon, while another one waits for many slow names', async () => {
  const { socket, servers } = await openServer({ 'quick.example': [PUBLIC] })
  const [busy, other] = [await openGate(servers), await openGate(servers)]
  const begun = Array.from({ length: 8 }, (_, at) => once(socket, `slow${at}.example`))
  let waiting = 0
  const slow = Array.from({ length: 64 }, async (_, at) => {
    waiting += 1
    await askName(busy, `slow${at}.example`).catch(() => undefined)
    waiting -= 1
  })
  await Promise.all(begun)
  expect(await askName(other, 'quick.example')).toMatchObject({ rcode: 'NOERROR' })
  expect(await lookup('localhost')).toBeDefined()
  expect(waiting).toBe(64)
  for (const end of ends.splice(0).toReversed()) await end()
  await Promise.all(slow)
})

it('asks for both families, and gives IPv4 first', async () => {
  const { servers } = await openServer({ 'both.example': [SIX, PUBLIC], 'six.example': [SIX] })
  const resolve = createSystemResolver({ servers, hostsFile: '/dev/null', resolverFile: '/dev/null' })
  expect(await resolve('both.example')).toEqual([PUBLIC, SIX])
  expect(await resolve('six.example')).toEqual([SIX])
  expect(await resolve('none.example')).toEqual([])
})

it('takes what the hosts file says, as it is now, and asks nobody then', async () => {
  const { asked, servers } = await openServer({ 'db.example': [PUBLIC] })
  const files = await makeFiles('# none\n10.0.0.7 DB.example db # db.two\n::2 db\nno line\n', '')
  const resolve = createSystemResolver({ servers, ...files })
  expect(await resolve('db.example')).toEqual(['10.0.0.7'])
  expect(await resolve('db')).toEqual(['10.0.0.7', '::2'])
  expect(asked).toEqual([])
  await writeFile(files.hostsFile, '10.0.0.99 other\n')
  expect(await resolve('db.example')).toEqual([PUBLIC])
})

it.each([
  ['', 'db', ['db']],
  ['search corp.example sub.corp.example\n', 'db', ['db.corp.example', 'db.sub.corp.example', 'db']],
  ['search corp.example\n', 'api.example', ['api.example', 'api.example.corp.example']],
  ['search first.example\ndomain corp.example\noptions timeout:1 ndots:2\n', 'a.b', ['a.b.corp.example', 'a.b']],
  ['search .\n', 'db', ['db']],
])('completes names as resolv.conf says: %j', async (resolver, name, wanted) => {
  const { asked, servers } = await openServer({})
  expect(await createSystemResolver({ servers, ...(await makeFiles('', resolver)) })(name)).toEqual([])
  expect([...new Set(asked)]).toEqual(wanted)
})

it('looks for no other name when the servers fail', async () => {
  const files = await makeFiles('', 'search corp.example\n')
  const { socket, servers } = await openServer({})
  socket.removeAllListeners('message')
  const asked: string[] = []
  socket.on('message', (message, from) => {
    const { id = 0, questions = [] } = decode(message)
    asked.push(questions[0]?.name ?? '')
    socket.send(encode({ type: 'response', id, flags: 0x182, questions }), from.port)
  })
  await expect(createSystemResolver({ servers, ...files })('db')).rejects.toThrow()
  expect([...new Set(asked)]).toEqual(['db.corp.example'])
})
