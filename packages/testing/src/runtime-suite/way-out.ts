import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { WayOut } from '@toolhaven/core/ports/egress'
import { readQuestion } from '../dns-question.ts'
import { listen } from './host-services.ts'

export interface OpenWayOut extends AsyncDisposable {
  way: WayOut
  /** Where programs without a proxy wanted to go, as the forwarder reported it. */
  dialled: string[]
  /** Names that were looked up. */
  asked: Set<string>
}

/** The one name that can be reached, and the address that represents it. */
export const ALLOWED = { name: 'api.example', address: '198.18.0.7' }

/** A daemon's end of the way out: a proxy that identifies itself, one name, and nothing else. */
export async function openWayOut(ports: readonly number[] = [443, 8443]): Promise<OpenWayOut> {
  const folder = await mkdtemp(join(tmpdir(), 'thv-o-'))
  const dialled: string[] = []
  const asked = new Set<string>()
  const proxy = await listen({ path: join(folder, 'p') }, 'the proxy')
  const direct = await serve(join(folder, 'd'), async (socket) => {
    const line = await readLine(socket)
    dialled.push(line)
    socket.end(line.startsWith(`${ALLOWED.address} `) ? `reached ${line}` : '')
  })
  const names = await serve(join(folder, 'n'), async (socket) => {
    const question = await readFrame(socket)
    asked.add(readQuestion(question).name)
    socket.end(frame(answer(question)))
  })
  return {
    way: { folder, proxy: 'p', direct: 'd', names: 'n', ports },
    dialled,
    asked,
    async [Symbol.asyncDispose]() {
      for (const server of [proxy, direct, names]) server.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function serve(path: string, attend: (socket: Socket) => Promise<void>): Promise<Server> {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => socket.destroy())
    attend(socket).catch(() => socket.destroy())
  }).listen(path)
  await once(server, 'listening')
  return server
}

async function readLine(socket: Socket): Promise<string> {
  let said = ''
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    said += String(chunk)
    if (said.includes('\n')) return said.slice(0, said.indexOf('\n'))
  }
  throw new Error('it ended before its first line did')
}

async function readFrame(socket: Socket): Promise<Buffer> {
  let said = Buffer.alloc(0)
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    said = Buffer.concat([said, chunk])
    if (said.length >= 2 && said.length >= 2 + said.readUInt16BE(0)) return said.subarray(2)
  }
  throw new Error('it ended before its question did')
}

function frame(message: Buffer): Buffer {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(message.length)
  return Buffer.concat([length, message])
}

const TYPE_A = 1
const NO_SUCH_NAME = 3

/** An address for the one name, nothing for its other types, and "no such name" for all others. */
function answer(question: Buffer): Buffer {
  const { name, type, end } = readQuestion(question)
  const isKnown = name === ALLOWED.name
  const hasAddress = isKnown && type === TYPE_A
  const head = Buffer.from(question.subarray(0, end))
  head.writeUInt16BE(0x81_80 | (isKnown ? 0 : NO_SUCH_NAME), 2)
  head.set([0, 1, 0, hasAddress ? 1 : 0, 0, 0, 0, 0], 4)
  if (!hasAddress) return head
  const record = [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, ...ALLOWED.address.split('.').map(Number)]
  return Buffer.concat([head, Buffer.from(record)])
}
