import { connect, type Socket } from 'node:net'
import { performance } from 'node:perf_hooks'

export interface Load {
  latenciesMs: number[]
}

/** How many clients ask, how many questions each has open, and how long the echoed text is. */
export interface Shape {
  sessions: number
  inFlight: number
  bytes: number
}

/** Asks one question and returns its answer. One at a time. */
export type Ask = (id: number, text: string) => Promise<Buffer>

/** Every client asks until the time is over. Texts differ, so that no program in between can answer from a cache. */
export async function load(askers: readonly Ask[], bytes: number, forMs: number): Promise<Load> {
  const latenciesMs: number[] = []
  const padding = 'x'.repeat(bytes)
  const until = performance.now() + forMs
  let next = 1
  await Promise.all(
    askers.map(async (ask) => {
      while (performance.now() < until) {
        const id = next++
        const text = `${id}-${padding}`.slice(0, bytes)
        const asked = performance.now()
        const answer = await ask(id, text)
        latenciesMs.push(performance.now() - asked)
        if (!answer.includes(`"text":"${id}-`)) throw new Error(`${id} got ${answer.toString('utf8', 0, 300)}`)
      }
    }),
  )
  return { latenciesMs }
}

export const callOf = (id: number, text: string) =>
  `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"echo","arguments":{"text":"${text}"}}}`

const END_OF_HEAD = Buffer.from('\r\n\r\n')
const END_OF_CHUNKS = Buffer.from('0\r\n\r\n')

/**
 * A kept connection for POSTs, one at a time, on a bare socket: a full HTTP client costs more than the programs under
 * test and would hide the difference between them.
 */
export class PostConnection {
  readonly #url: URL
  readonly #head: string
  #socket: Socket | undefined
  #received: Buffer[] = []
  #size = 0
  /** Of the whole answer; undefined until its head is there. */
  #expected: number | 'chunked' | undefined
  #waiting: PromiseWithResolvers<Buffer> | undefined
  /** What was sent on an idle connection, which the program may have closed at that moment. */
  #doubtful: string | undefined

  constructor(url: URL, headers: Readonly<Record<string, string>>) {
    const lines = Object.entries({
      host: url.host,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    }).map(([name, value]) => `${name}: ${value}\r\n`)
    this.#head = `POST ${url.pathname}${url.search} HTTP/1.1\r\n${lines.join('')}content-length: `
    this.#url = url
  }

  post(body: string): Promise<Buffer> {
    this.#waiting = Promise.withResolvers()
    // Idle while others are measured, a connection may have been closed by the program.
    const isKept = this.#socket?.destroyed === false && this.#socket.writable
    if (!isKept) this.#socket = this.#connect()
    this.#doubtful = isKept ? body : undefined
    this.#write(body)
    return this.#waiting.promise
  }

  close(): void {
    this.#waiting = undefined
    this.#doubtful = undefined
    this.#socket?.destroy()
  }

  #connect(): Socket {
    const socket = connect({ host: this.#url.hostname, port: Number(this.#url.port), noDelay: true })
    const fail = (error: Error) => {
      if (socket === this.#socket) this.#failed(error)
    }
    socket.on('data', (chunk) => this.#take(chunk))
    socket.once('error', fail)
    socket.once('close', () => fail(new Error(`${this.#url.href} closed a connection`)))
    return socket
  }

  #write(body: string): void {
    this.#socket?.write(`${this.#head}${Buffer.byteLength(body)}\r\n\r\n${body}`)
  }

  #failed(error: Error): void {
    const body = this.#doubtful
    if (body === undefined) return this.#waiting?.reject(error)
    this.#doubtful = undefined
    this.#socket = this.#connect()
    this.#write(body)
  }

  #take(chunk: Buffer): void {
    this.#doubtful = undefined
    this.#received.push(chunk)
    this.#size += chunk.length
    if (this.#expected === undefined) this.#readHead()
    if (this.#expected === undefined || !this.#isComplete(this.#expected)) return
    const answer = Buffer.concat(this.#received)
    this.#received = []
    this.#size = 0
    this.#expected = undefined
    const waiting = this.#waiting
    this.#waiting = undefined
    if (answer.toString('latin1', 9, 11) === '20') waiting?.resolve(answer)
    else waiting?.reject(new Error(`the answer was ${answer.toString('utf8', 0, 400)}`))
  }

  #readHead(): void {
    const all = Buffer.concat(this.#received)
    const end = all.indexOf(END_OF_HEAD)
    if (end < 0) return
    this.#received = [all]
    const head = all.toString('latin1', 0, end)
    const length = /^content-length: (\d+)$/im.exec(head)?.[1]
    const isChunked = /^transfer-encoding: chunked$/im.test(head)
    this.#expected = isChunked ? 'chunked' : end + END_OF_HEAD.length + Number(length ?? 0)
  }

  #isComplete(expected: number | 'chunked'): boolean {
    if (expected !== 'chunked') return this.#size >= expected
    const last = this.#received.at(-1) ?? Buffer.alloc(0)
    const tail = last.length >= END_OF_CHUNKS.length ? last : Buffer.concat(this.#received.slice(-6))
    return tail.subarray(-END_OF_CHUNKS.length).equals(END_OF_CHUNKS)
  }
}
