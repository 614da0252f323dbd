/**
 * The end of the tunnel that runs inside, before the program itself. It is plain JavaScript for whatever Node is there,
 * so it is text here. It uses stdin and stdout for frames, sends what the program prints to stderr, listens in place of
 * the target, and connects to the program's own ports on request from outside.
 */
export function insideProgram(ports: readonly number[], targetPort: number): string {
  return `${PROGRAM}\nmain(${JSON.stringify(ports)}, ${targetPort})\n`
}

const PROGRAM = `
import { connect, createServer } from 'node:net'
import { isMainThread } from 'node:worker_threads'

const MAX_WAITING = ${16 * 1024 * 1024}

function main(ports, targetPort) {
  if (!isMainThread) return
  // Children of the program have no tunnel.
  delete process.env.NODE_OPTIONS
  const write = process.stdout.write.bind(process.stdout)
  process.stdout.write = process.stderr.write.bind(process.stderr)
  const send = (frame) => void write(JSON.stringify(frame) + '\\n')
  const sockets = new Map()
  let next = 1

  const adopt = (id, socket) => {
    sockets.set(id, socket)
    socket.on('data', (chunk) => send({ data: id, bytes: chunk.toString('base64') }))
    socket.on('error', () => undefined)
    socket.on('close', () => {
      if (sockets.delete(id)) send({ end: id })
    })
  }
  const obey = (frame) => {
    if (frame.open !== undefined) return adopt(frame.open, connect(ports[frame.port], '127.0.0.1'))
    const socket = sockets.get(frame.data ?? frame.end)
    if (socket === undefined) return
    if (frame.end !== undefined) {
      sockets.delete(frame.end)
      return socket.end()
    }
    socket.write(Buffer.from(frame.bytes, 'base64'))
    if (socket.writableLength > MAX_WAITING) socket.destroy()
  }

  let rest = ''
  process.stdin.setEncoding('utf8')
  process.stdin.on('data', (text) => {
    const lines = (rest + text).split('\\n')
    rest = lines.pop()
    for (const line of lines) obey(JSON.parse(line))
  })
  // Nobody is left to serve.
  process.stdin.on('end', () => process.exit(0))
  createServer((socket) => {
    const id = next
    next += 2
    send({ open: id })
    adopt(id, socket)
  }).listen(targetPort, '127.0.0.1')

  const look = () => {
    const probe = connect(ports[0], '127.0.0.1')
    probe.once('connect', () => {
      probe.destroy()
      send({ ready: true })
    })
    probe.once('error', () => setTimeout(look, 50))
  }
  look()
}
`
