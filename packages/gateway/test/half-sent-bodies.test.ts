import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, it } from 'vitest'
import { startGateway, type TestGateway } from './support/gateway.ts'
import { openSession } from './support/raw-server.ts'

const KIB = 1024
const LIMITS = { maxCallBytes: 1024 * KIB }
const LARGE = call('size', { text: 'x'.repeat(400 * KIB) })
const SMALL = call('echo', { text: 'hi' })

function call(name: string, args: object): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } })
}

/** How a body arrives: read by the gateway, or in chunks, which Node reads. */
const KINDS = {
  plain: (body: string) => ({ header: `content-length: ${body.length}`, body }),
  chunked: (body: string) => ({
    header: 'transfer-encoding: chunked',
    body: `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
  }),
}
type Kind = keyof typeof KINDS

interface Sender {
  socket: Socket
  received: () => string
  /** The rest of its body. */
  finish: () => void
}

/** Sends all of a request but its last bytes. */
async function sendHalf(test: TestGateway, headers: object, kind: Kind, text: string): Promise<Sender> {
  const socket = connect(test.port, '127.0.0.1')
  // The gateway may end it in any way.
  socket.on('error', () => {})
  test.defer(() => socket.destroy())
  let received = ''
  socket.on('data', (chunk) => (received += String(chunk)))
  await once(socket, 'connect')
  const { header, body } = KINDS[kind](text)
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`POST /mcp HTTP/1.1\r\nhost: 127.0.0.1:${test.port}\r\n${header}\r\n${lines.join('')}\r\n`)
  socket.write(body.slice(0, -10))
  return { socket, received: () => received, finish: () => void socket.write(body.slice(-10)) }
}

async function start(): Promise<{ test: TestGateway; post: Awaited<ReturnType<typeof openSession>> }> {
  const test = await startGateway({ limits: LIMITS })
  await test.open()
  await test.run()
  return { test, post: await openSession(test) }
}

it.each(['plain', 'chunked'] as const)('bodies that never end do not fill the memory (%s)', async (kind) => {
  const { test, post } = await start()
  await using _ = test
  const slow = await sendHalf(test, post.headers, kind, SMALL)
  const senders = await Promise.all(Array.from({ length: 5 }, () => sendHalf(test, post.headers, kind, LARGE)))
  const refused = () => senders.filter(({ received }) => received() !== '')
  await expect.poll(() => refused().length, { timeout: 20_000 }).toBe(3)
  for (const { received } of refused()) {
    expect(received()).toMatch(/^HTTP\/1.1 503 /)
    expect(received()).toMatch(/^retry-after: \d+\r$/im)
    expect(received()).toContain('too much memory')
  }

  // Clients that send little are not kept out, however slowly it arrives.
  expect(await (await post(SMALL)).text()).toContain('hi')
  slow.finish()
  await expect.poll(slow.received, { timeout: 20_000 }).toContain('hi')

  // A client that disconnects makes room again.
  for (const { socket } of senders) socket.destroy()
  const again = async () => (await post(LARGE)).text().catch(() => '')
  await expect.poll(again, { timeout: 20_000 }).toContain(String(400 * KIB))
})

it('a large body that comes to its end is answered, as often as it is sent', async () => {
  const { test, post } = await start()
  await using _ = test
  for (let count = 0; count < 5; count++) expect(await (await post(LARGE)).text()).toContain(String(400 * KIB))
})
