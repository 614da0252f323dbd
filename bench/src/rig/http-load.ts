import { connect } from 'node:net'
import { performance } from 'node:perf_hooks'

export interface Load {
  perSecond: number
  latenciesMs: number[]
}

/**
 * Requests one path as often as possible for a time, one request at a time per connection. Written on bare sockets: a
 * full HTTP client costs more than the servers under test and would hide the difference between them.
 */
export async function loadHttp(options: {
  port: number
  path: string
  connections: number
  forMs: number
}): Promise<Load> {
  const request = `GET ${options.path} HTTP/1.1\r\nhost: 127.0.0.1:${options.port}\r\naccept: application/json\r\n\r\n`
  const latenciesMs: number[] = []
  const begun = performance.now()
  const until = begun + options.forMs
  const client = () => askUntil({ port: options.port, request, until, latenciesMs })
  await Promise.all(Array.from({ length: options.connections }, client))
  return { perSecond: (latenciesMs.length * 1000) / (performance.now() - begun), latenciesMs }
}

function askUntil({
  port,
  request,
  until,
  latenciesMs,
}: {
  port: number
  request: string
  until: number
  latenciesMs: number[]
}): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true })
    const answer = new AnswerCounter()
    let asked = 0
    const ask = () => {
      asked = performance.now()
      socket.write(request)
    }
    socket.once('connect', ask)
    socket.once('error', reject)
    socket.once('close', () => reject(new Error('the server closed a connection')))
    socket.on('data', (chunk: Buffer) => {
      if (!answer.take(chunk)) return
      const now = performance.now()
      latenciesMs.push(now - asked)
      if (now < until) return ask()
      socket.removeAllListeners('close')
      socket.destroy()
      resolve()
    })
  })
}

const END_OF_HEAD = Buffer.from('\r\n\r\n')
const END_OF_CHUNKS = Buffer.from('0\r\n\r\n')

/** Only knows when an answer is complete. */
class AnswerCounter {
  #left: number | undefined
  #chunked = false
  #head: Buffer = Buffer.alloc(0)

  /** Whether this chunk ends an answer. */
  take(chunk: Buffer): boolean {
    if (this.#left === undefined && !this.#chunked) return this.#takeHead(chunk)
    if (this.#chunked) return this.#finish(chunk.subarray(-END_OF_CHUNKS.length).equals(END_OF_CHUNKS))
    this.#left = (this.#left ?? 0) - chunk.length
    return this.#finish(this.#left <= 0)
  }

  #takeHead(chunk: Buffer): boolean {
    this.#head = this.#head.length === 0 ? chunk : Buffer.concat([this.#head, chunk])
    const end = this.#head.indexOf(END_OF_HEAD)
    if (end < 0) return false
    const head = this.#head.toString('latin1', 0, end)
    if (!head.startsWith('HTTP/1.1 200')) throw new Error(`the server answered ${head.split('\r\n')[0]}`)
    const body = this.#head.subarray(end + END_OF_HEAD.length)
    this.#head = Buffer.alloc(0)
    const length = /^content-length: (\d+)$/im.exec(head)?.[1]
    this.#chunked = length === undefined
    this.#left = this.#chunked ? undefined : Number(length)
    return this.take(body)
  }

  #finish(isComplete: boolean): boolean {
    if (isComplete) {
      this.#left = undefined
      this.#chunked = false
    }
    return isComplete
  }
}
