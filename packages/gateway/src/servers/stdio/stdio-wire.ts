import type { StdioChannel } from '@toolhaven/core/ports/runtime'
import type { Logger } from '@toolhaven/core/ports/logger'
import { describeError } from '@toolhaven/core/errors'
import { MAX_BATCH, parseJson, toMessage, type LargeLine, type RpcMessage } from '../../messages/json-rpc.ts'
import type { GatewayLimits } from '../../endpoint/options.ts'
import { idOfDropped, overTheLimit, UNREADABLE } from '../dropped-answer.ts'
import { HEAD_BYTES, LineSplitter } from '../../messages/line-splitter.ts'
import { LineTurns } from './line-turns.ts'
import { WriteQueue } from './write-queue.ts'

export interface StdioWireOptions {
  name: string
  channel: StdioChannel
  limits: GatewayLimits
  logger: Logger
  onMessage: (message: RpcMessage) => void
  /**
   * A large answer whose id is at `[from, to)` of its first part. Returns false when it has to be parsed as a message.
   */
  onLargeAnswer: (id: number, line: LargeLine, from: number, to: number) => boolean
  onOutput: (stream: 'stdout' | 'stderr', text: string) => void
  /** An answer could not be read. `id` as far as it could be determined. */
  onAnswerDropped: (id: number, why: string) => void
  onClosed: (reason: string) => void
}

/** The beginning that common libraries write. */
const LARGE_ANSWER = /^(\{"jsonrpc":"2\.0","id":)(\d{1,15}),"result":\{/
const BRACE = 0x7d

/** Messages to and from one process, as lines. A line that is not a message is output of the server, for its log. */
export class StdioWire {
  readonly #options: StdioWireOptions
  readonly #queue: WriteQueue
  readonly #turns: LineTurns
  #isStopped = false

  constructor(options: StdioWireOptions) {
    this.#options = options
    const { channel, limits } = options
    this.#queue = new WriteQueue(channel, limits.maxUnreadBytes)
    const stdout = new LineSplitter({
      maxBytes: limits.maxMessageBytes,
      onLine: (line) => this.#receive(line),
      onLarge: (line) => this.#receiveLarge(line),
      onOversize: (head, tail) => this.#oversize(head, tail),
    })
    const stderr = new LineSplitter({
      maxBytes: limits.maxLogLineBytes,
      onLine: (line) => options.onOutput('stderr', line),
      onOversize: (head) => options.onOutput('stderr', `${head}… (line cut)`),
    })
    const turns = new LineTurns(channel)
    this.#turns = turns
    channel.onStdout = (chunk) => turns.take(stdout, chunk)
    channel.onStderr = (chunk) => turns.take(stderr, chunk)
    channel.onClose = (error) => {
      this.#queue.close()
      turns.whenDone(() => {
        stdout.end()
        stderr.end()
        if (this.#isStopped) return
        this.#isStopped = true
        options.onClosed(`the server's process ended${error === undefined ? '' : ` (${error.message})`}`)
      })
    }
  }

  write(text: string): boolean {
    return !this.#isStopped && this.#queue.push(`${escapeSeparators(text)}\n`)
  }

  /** The parts include the newline. */
  writeLine(parts: readonly Buffer[]): boolean {
    return !this.#isStopped && this.#queue.push(parts)
  }

  /** Nothing more is read or reported. `keepOpen` leaves the process its input. */
  stop(keepOpen: boolean): void {
    const { channel } = this.#options
    this.#isStopped = true
    channel.onStdout = () => {}
    channel.onStderr = () => {}
    channel.onClose = () => {}
    this.#turns.stop()
    this.#queue.close()
    if (!keepOpen) channel.close()
  }

  #receive(line: string): void {
    if (line.trim() === '') return
    const json = line.startsWith('{') || line.startsWith('[') ? parseJson(line) : undefined
    if (json === undefined) this.#dropAnswer(line.slice(0, HEAD_BYTES), line.slice(-HEAD_BYTES), UNREADABLE)
    const value = json?.value
    const messages =
      Array.isArray(value) && value.length <= MAX_BATCH
        ? value.map((item: unknown) => toMessage(item, JSON.stringify(item)))
        : [toMessage(value, line)]
    for (const message of messages) if (message !== undefined) this.#handle(message)
    if (messages.includes(undefined)) this.#options.onOutput('stdout', this.#cut(line))
  }

  /** No caller above catches errors: they would end the daemon. */
  #handle(message: RpcMessage): void {
    try {
      this.#options.onMessage(message)
    } catch (error) {
      const { logger, name } = this.#options
      logger.error('a message of the server could not be handled', { workload: name, why: describeError(error) })
    }
  }

  /** Recognizes a large answer by its beginning: parsing all of it for no reader would be most of its cost. */
  #receiveLarge(line: LargeLine): boolean {
    const [before = '', start = '', id = ''] = LARGE_ANSWER.exec(line[0].toString('latin1', 0, HEAD_BYTES)) ?? []
    if (before === '' || line.at(-1)?.at(-1) !== BRACE) return false
    return this.#options.onLargeAnswer(Number(id), line, start.length, start.length + id.length)
  }

  #oversize(head: string, tail: string): void {
    const { limits, logger, name } = this.#options
    this.#dropAnswer(head, tail, overTheLimit(limits.maxMessageBytes))
    logger.warn('a line of the server was over the limit and dropped', {
      workload: name,
      maxBytes: limits.maxMessageBytes,
    })
  }

  /** Without this, its client would wait until it loses patience. */
  #dropAnswer(head: string, tail: string, why: string): void {
    const id = idOfDropped(head, tail)
    if (id !== undefined) this.#options.onAnswerDropped(id, why)
  }

  #cut(line: string): string {
    const { maxLogLineBytes } = this.#options.limits
    return line.length <= maxLogLineBytes ? line : `${line.slice(0, maxLogLineBytes)}… (line cut)`
  }
}

/** Valid inside JSON text, but some line readers (such as Node's own) end a line there. */
function escapeSeparators(text: string): string {
  const isSafe = !text.includes('\u2028') && !text.includes('\u2029')
  return isSafe ? text : text.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')
}
