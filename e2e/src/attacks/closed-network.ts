/**
 * Runs a daemon in a network of its own, where every address there is leads to this one machine: private, public, tunnelled
 * or reserved. So a connection to any of them arrives here and is noted, and nothing leaves. `node closed-network.ts FOLDER
 * PROGRAM…` writes the address of each connection to ports 80 and 443 to FOLDER/hits.
 *
 * Names are answered by a resolver: `private.example` is 127.0.0.1, `turning.example` is public when first asked for and
 * 127.0.0.1 from then on, `metadata.example` is the metadata address of clouds. Port 80 redirects `/redirect?to=URL` (302) and `/moved?to=URL` (307), and `/mcp?metadata=URL` asks for a login described there.
 */
import { execFileSync, spawn } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { appendFileSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer, type ServerResponse } from 'node:http'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readQuestion } from '@toolhaven/testing/dns-question'

const RESOLVER = '127.0.0.53'
const PUBLIC = '93.184.216.34'
const METADATA = '169.254.169.254'

const [folder = '', ...program] = process.argv.slice(2)
if (folder === '--inside') await runInside(program[0] ?? '', program.slice(1))
else runOutside(folder, program)

function runOutside(home: string, command: readonly string[]): void {
  const asRoot = process.getuid?.() === 0 ? [] : ['--map-root-user']
  const own = [fileURLToPath(import.meta.url), '--inside', home, ...command]
  passOn(
    spawn('unshare', ['--net', '--mount', ...asRoot, '--', process.execPath, ...own], {
      stdio: ['pipe', 'inherit', 'inherit'],
    }),
  )
}

async function runInside(home: string, command: readonly string[]): Promise<void> {
  execFileSync('ip', ['link', 'set', 'lo', 'up'])
  for (const [version, everything] of [
    ['-4', '0.0.0.0/0'],
    ['-6', '::/0'],
  ] as const)
    execFileSync('ip', [version, 'route', 'add', 'local', everything, 'dev', 'lo'])
  const resolverFile = join(home, 'resolv.conf')
  writeFileSync(resolverFile, `nameserver ${RESOLVER}\n`)
  execFileSync('mount', ['--bind', resolverFile, '/etc/resolv.conf'])
  const note = (socket: Socket) =>
    appendFileSync(join(home, 'hits'), `${socket.localAddress?.replace('::ffff:', '')}\n`)
  const http = createHttpServer((request, response) => answer(new URL(request.url ?? '', 'http://here'), response))
  http.on('connection', note)
  const tls = createServer((socket) => {
    note(socket)
    socket.on('error', () => undefined).destroy()
  })
  await new Promise<void>((resolve) => http.listen(80, '::', resolve))
  await new Promise<void>((resolve) => tls.listen(443, '::', resolve))
  await openResolver()
  const child = spawn(process.execPath, command, { stdio: ['ignore', 'inherit', 'inherit'] })
  // The pipe ends with the process outside, however that ends.
  process.stdin.resume().on('end', () => child.kill('SIGKILL'))
  passOn(child)
}

function answer({ pathname, searchParams }: URL, response: ServerResponse): void {
  const [to, metadata] = [searchParams.get('to'), searchParams.get('metadata')]
  if (pathname === '/moved' && to !== null) response.writeHead(307, { location: to, connection: 'close' }).end()
  else if (pathname === '/redirect' && to !== null) response.writeHead(302, { location: to, connection: 'close' }).end()
  else if (metadata !== null)
    response.writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${metadata}"` }).end()
  else response.writeHead(404, { connection: 'close' }).end()
}

const IPV4_QUESTION = 1

/** Answers questions for an IPv4 address; there are no others. */
async function openResolver(): Promise<void> {
  const asked = new Map<string, number>()
  const socket = createSocket('udp4')
  socket.on('message', (question, from) => {
    const { name, type, end } = readQuestion(question)
    const count = (asked.get(name) ?? 0) + (type === IPV4_QUESTION ? 1 : 0)
    asked.set(name, count)
    const isPublic = name === 'turning.example' && count === 1
    const address = name === 'metadata.example' ? METADATA : isPublic ? PUBLIC : '127.0.0.1'
    const isKnown = type === IPV4_QUESTION && (name.endsWith('.example') || name === 'localhost')
    socket.send(answerTo(question.subarray(0, end), isKnown ? address : undefined), from.port, from.address)
  })
  await new Promise<void>((resolve) => socket.bind(53, RESOLVER, resolve))
}

function answerTo(question: Buffer, address: string | undefined): Buffer {
  const head = Buffer.from(question)
  head.writeUInt16BE(0x81_80, 2)
  for (const [offset, count] of [1, address === undefined ? 0 : 1, 0, 0].entries())
    head.writeUInt16BE(count, 4 + 2 * offset)
  if (address === undefined) return head
  // A pointer to the name in the question, an address of the internet, good for no time at all.
  const record = Buffer.from([0xc0, 0x0c, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split('.').map(Number)])
  return Buffer.concat([head, record])
}

/** Whoever ends this process wants to end the one inside. */
function passOn(child: ReturnType<typeof spawn>): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => child.kill(signal))
  child.on('exit', (code) => process.exit(code ?? 1))
}
