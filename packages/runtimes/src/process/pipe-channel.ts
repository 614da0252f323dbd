import type { ChildProcess } from 'node:child_process'
import type { Writable } from 'node:stream'
import { unavailable } from '@toolhaven/core/errors'
import type { StdioChannel } from '@toolhaven/core/ports/runtime'
import { writeTo } from '../write-to.ts'

/** The pipe to a child process. It may be handed out before the process exists. */
export class PipeChannel implements StdioChannel {
  onStdout: (chunk: Uint8Array) => void = () => undefined
  onStderr: (chunk: Uint8Array) => void = () => undefined
  onClose: (error?: Error) => void = () => undefined
  readonly #connected = Promise.withResolvers<ChildProcess>()
  /** Ends the wait of callers that wrote more than there was room for. */
  readonly #waiting = new Set<() => void>()
  #child: ChildProcess | undefined
  #paused = false
  #isEnded = false

  constructor() {
    // Only writers learn about an end before the start.
    this.#connected.promise.catch(() => undefined)
  }

  connect(child: ChildProcess): void {
    this.#child = child
    // The exit reports a server that no longer reads.
    child.stdin?.on('error', () => undefined)
    child.stdout?.on('data', (chunk: Buffer) => this.#isEnded || this.onStdout(chunk))
    child.stderr?.on('data', (chunk: Buffer) => this.#isEnded || this.onStderr(chunk))
    if (this.#paused) this.pause()
    this.#connected.resolve(child)
  }

  async write(data: string | readonly Uint8Array[]): Promise<void> {
    const { stdin } = this.#child ?? (await this.#connected.promise)
    if (this.#isEnded || stdin === null || !stdin.writable) throw closed()
    if (!writeTo(stdin, data)) await this.#roomIn(stdin)
  }

  pause(): void {
    this.#paused = true
    this.#child?.stdout?.pause()
    this.#child?.stderr?.pause()
  }

  resume(): void {
    this.#paused = false
    this.#child?.stdout?.resume()
    this.#child?.stderr?.resume()
  }

  close(): void {
    this.#child?.stdin?.end()
    this.end()
  }

  /** The process is gone, or another channel is attached now. */
  end(error?: Error): void {
    if (this.#isEnded) return
    this.#isEnded = true
    for (const stop of [...this.#waiting]) stop()
    this.#connected.reject(closed())
    // A paused pipe that is never read again would block the server for ever.
    this.resume()
    this.onClose(error)
  }

  #roomIn(stdin: Writable): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = () => {
        stdin.off('drain', onDrain)
        stdin.off('close', onEnd)
        this.#waiting.delete(onEnd)
      }
      const onDrain = () => {
        settle()
        resolve()
      }
      const onEnd = () => {
        settle()
        reject(closed())
      }
      stdin.on('drain', onDrain)
      stdin.on('close', onEnd)
      this.#waiting.add(onEnd)
    })
  }
}

function closed(): Error {
  return unavailable('The server has ended, so nothing can be written to it.')
}
