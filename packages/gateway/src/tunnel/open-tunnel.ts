import { type Server, type Socket, connect, createServer } from 'node:net'
import { unavailable } from '@toolhaven/core/errors'
import type { StdioChannel } from '@toolhaven/core/ports/runtime'
import type { Tunnel, TunnelSpec } from '@toolhaven/core/ports/tunnel'
import { LineSplitter } from '../messages/line-splitter.ts'
import { closeServer, listen } from '../endpoint/listen.ts'
import { type Frame, parseFrame } from './frames.ts'
import { insideProgram } from './inside.ts'

/** How much may wait for a side that does not read. More ends that connection, and only that one. */
const MAX_WAITING = 16 * 1024 * 1024
const MAX_LINE = 4 * 1024 * 1024
const MAX_SOCKETS = 256
const LAST_WORDS = 2_000

export interface OpenTunnelOptions extends TunnelSpec {
  allowPeer: (socket: Socket) => boolean
}

export async function openTunnel(options: OpenTunnelOptions): Promise<Tunnel> {
  const tunnel = new TunnelEnd(options)
  await tunnel.listen()
  return tunnel
}

class TunnelEnd implements Tunnel {
  readonly preload: string
  readonly #options: OpenTunnelOptions
  readonly #servers: Server[] = []
  readonly #sockets = new Map<number, Socket>()
  readonly #ready = Promise.withResolvers<void>()
  readonly #ended = Promise.withResolvers<string>()
  #channel: StdioChannel | undefined
  #next = 0
  #words = ''

  constructor(options: OpenTunnelOptions) {
    this.#options = options
    this.preload = insideProgram(options.ports, options.target.port)
    // Code that waits for it sees the error. There may be none.
    this.#ready.promise.catch(() => undefined)
  }

  get ready(): Promise<void> {
    return this.#ready.promise
  }

  get ended(): Promise<string> {
    return this.#ended.promise
  }

  async listen(): Promise<void> {
    try {
      for (const [index, port] of this.#options.ports.entries()) {
        const server = createServer((socket) => this.#accept(index, socket))
        await listen(server, '127.0.0.1', port)
        this.#servers.push(server)
      }
    } catch (error) {
      await this[Symbol.asyncDispose]()
      throw error
    }
  }

  connect(channel: StdioChannel): void {
    this.#channel = channel
    const splitter = new LineSplitter({
      maxBytes: MAX_LINE,
      onLine: (line) => this.#obey(parseFrame(line)),
      onOversize: () => undefined,
    })
    channel.onStdout = (chunk) => splitter.push(chunk)
    const decoder = new TextDecoder()
    channel.onStderr = (chunk) => {
      this.#words = (this.#words + decoder.decode(chunk, { stream: true })).slice(-LAST_WORDS)
    }
    channel.onClose = () => {
      const words = this.#words.trim().split('\n').slice(-5).join(' | ')
      this.#ready.reject(unavailable(`The process ended before it listened${words === '' ? '.' : `: ${words}`}`))
      this.#ended.resolve(words)
      for (const socket of this.#sockets.values()) socket.destroy()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#channel?.close()
    const closed = this.#servers.map(closeServer)
    for (const socket of this.#sockets.values()) socket.destroy()
    await Promise.all(closed)
  }

  #accept(port: number, socket: Socket): void {
    if (this.#channel === undefined || this.#sockets.size >= MAX_SOCKETS || !this.#options.allowPeer(socket)) {
      socket.destroy()
      return
    }
    const id = this.#next
    this.#next += 2
    this.#send(socket, { open: id, port })
    this.#adopt(id, socket)
  }

  #adopt(id: number, socket: Socket): void {
    this.#sockets.set(id, socket)
    socket.on('data', (chunk) => this.#send(socket, { data: id, bytes: chunk.toString('base64') }))
    // The close event follows and tells the other side.
    socket.on('error', () => undefined)
    socket.on('close', () => {
      if (this.#sockets.delete(id)) this.#send(socket, { end: id })
    })
  }

  /** Reads no more from a socket until the pipe has room for what was read. */
  #send(socket: Socket, frame: object): void {
    socket.pause()
    const sent = this.#channel?.write(`${JSON.stringify(frame)}\n`) ?? Promise.resolve()
    sent.then(
      () => socket.resume(),
      () => socket.destroy(),
    )
  }

  #obey(frame: Frame | undefined): void {
    if (frame === undefined) return
    if ('ready' in frame) return this.#ready.resolve()
    if ('open' in frame) return this.#dial(frame.open)
    const id = 'data' in frame ? frame.data : frame.end
    const socket = this.#sockets.get(id)
    if (socket === undefined) return
    if (!('data' in frame)) {
      this.#sockets.delete(id)
      socket.end()
      return
    }
    socket.write(Buffer.from(frame.bytes, 'base64'))
    if (socket.writableLength > MAX_WAITING) socket.destroy()
  }

  /** Whatever runs inside can only ever reach this one target. */
  #dial(id: number): void {
    const { host, port } = this.#options.target
    if (id % 2 === 0 || this.#sockets.has(id) || this.#sockets.size >= MAX_SOCKETS) return
    this.#adopt(id, connect(port, host))
  }
}
