import { connect } from 'node:net'
import { ThvError } from '@toolhaven/core/errors'

export type DaemonAddress = SocketAddress | { host: string; port: number; token?: string }

export interface SocketAddress {
  socketPath: string
  /** Waits for a daemon that is starting or ending, and returns the socket that then answers. */
  whenNobodyListens?: (signal: AbortSignal) => Promise<string>
}

export interface DaemonRequest {
  method: string
  path: string
  headers: Readonly<Record<string, string>>
  body?: string | undefined
}

export interface DaemonAnswer {
  status: number
  type: string
  text: string
}

/** The daemon may or may not have carried out the request. */
export class WentAway extends ThvError {
  constructor(cause?: unknown) {
    super('unavailable', 'the daemon went away in the middle of its answer; "thv list" starts it again', { cause })
  }
}

/**
 * Sends one request and reads the whole answer. In HTTP/1.0 the answer ends with the connection, so a few lines can read it.
 * Loading node:http would take a large part of a command's processor time.
 */
export async function exchange(
  address: DaemonAddress,
  { method, path, headers, body }: DaemonRequest,
  signal: AbortSignal,
): Promise<DaemonAnswer> {
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const socket = connect({ ...('socketPath' in address ? { path: address.socketPath } : address), signal })
  socket.write(`${method} ${path} HTTP/1.0\r\n${fields.join('')}\r\n${body ?? ''}`)
  const chunks: Buffer[] = []
  await new Promise<void>((resolve, reject) => {
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.once('error', (error) => reject(isCut(error) ? new WentAway(error) : error))
    socket.once('close', resolve)
  })
  return readAnswer(Buffer.concat(chunks))
}

export function isCut(error: Error): boolean {
  return 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE')
}

function readAnswer(bytes: Buffer): DaemonAnswer {
  const end = bytes.indexOf('\r\n\r\n')
  const head = bytes.toString('latin1', 0, Math.max(end, 0))
  const body = bytes.subarray(end + 4)
  const [, status] = /^HTTP\/1\.[01] (\d{3})/.exec(head) ?? []
  const field = (name: string) => new RegExp(`^${name}: *(.*)$`, 'im').exec(head)?.[1]
  const length = field('content-length')
  if (status === undefined || (length !== undefined && Number(length) !== body.length)) throw new WentAway()
  return { status: Number(status), type: field('content-type') ?? '', text: body.toString() }
}
