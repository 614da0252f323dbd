import { GrowingBytes } from './growing-bytes.ts'

/** What the first bytes of a connection reveal about its destination. */
export type FirstBytes = { kind: 'more' } | { kind: 'not-tls' } | { kind: 'tls'; serverName: string | undefined }

const HANDSHAKE_RECORD = 0x16
const CLIENT_HELLO = 0x01
const SERVER_NAME = 0
const HOST_NAME = 0

const RECORD_HEADER = 5

const MORE: FirstBytes = { kind: 'more' }
const NOT_TLS: FirstBytes = { kind: 'not-tls' }

/** No legitimate first message of a client is longer. */
const LONGEST_HELLO = 32 * 1024

/**
 * Reads the server name that a TLS client requests (RFC 6066). It scans each byte once, however many pieces and records there are.
 */
export class FirstBytesReader {
  readonly #all = new GrowingBytes()
  /** The ClientHello, joined from its records. */
  readonly #hello = new GrowingBytes()
  #at = 0
  #leftInRecord = 0

  /** The bytes so far. */
  get bytes(): Buffer {
    return this.#all.bytes
  }

  take(chunk: Buffer): FirstBytes {
    this.#all.add(chunk)
    while (true) {
      this.#takePart()
      const hello = readHello(this.#hello.bytes)
      if (Buffer.isBuffer(hello)) return readName(hello)
      if (hello.kind === 'not-tls' || this.#leftInRecord > 0) return hello
      const record = this.#beginRecord()
      if (record !== undefined) return record
    }
  }

  #takePart(): void {
    const part = this.bytes.subarray(this.#at, this.#at + this.#leftInRecord)
    this.#hello.add(part)
    this.#at += part.length
    this.#leftInRecord -= part.length
  }

  #beginRecord(): FirstBytes | undefined {
    const { bytes } = this
    const at = this.#at
    if (bytes.length > at && bytes[at] !== HANDSHAKE_RECORD) return NOT_TLS
    if (bytes.length < at + RECORD_HEADER) return MORE
    this.#leftInRecord = bytes.readUInt16BE(at + 3)
    this.#at += RECORD_HEADER
    return bytes[at + 1] !== 3 || this.#leftInRecord === 0 ? NOT_TLS : undefined
  }
}

/** The message after its length, once it is complete. */
function readHello(message: Buffer): Buffer | FirstBytes {
  if (message.length < 4) return MORE
  const wanted = message.readUIntBE(1, 3)
  if (message[0] !== CLIENT_HELLO || wanted > LONGEST_HELLO) return NOT_TLS
  return message.length < 4 + wanted ? MORE : message.subarray(4, 4 + wanted)
}

function readName(hello: Buffer): FirstBytes {
  try {
    return { kind: 'tls', serverName: nameOf(hello) }
  } catch (error) {
    // A length that points past the end, which no TLS library writes.
    if (error instanceof RangeError) return NOT_TLS
    throw error
  }
}

function nameOf(hello: Buffer): string | undefined {
  // Version and random are 34 bytes; then three lists, each with its length before it.
  let at = 34
  at += 1 + hello.readUInt8(at)
  at += 2 + hello.readUInt16BE(at)
  at += 1 + hello.readUInt8(at)
  if (at >= hello.length) return undefined
  const end = at + 2 + hello.readUInt16BE(at)
  if (end !== hello.length) throw new RangeError('extensions do not fill the message')
  at += 2
  let name: string | undefined
  while (at < end) {
    const type = hello.readUInt16BE(at)
    const length = hello.readUInt16BE(at + 2)
    if (at + 4 + length > end) throw new RangeError('an extension is longer than the message')
    if (type === SERVER_NAME) {
      // With two of them, different readers could choose different ones.
      if (name !== undefined) throw new RangeError('two server names')
      name = hostNameOf(hello.subarray(at + 4, at + 4 + length))
    }
    at += 4 + length
  }
  return name
}

function hostNameOf(extension: Buffer): string {
  const listed = extension.readUInt16BE(0)
  const length = extension.readUInt16BE(3)
  if (extension[2] !== HOST_NAME || listed !== length + 3 || extension.length !== listed + 2)
    throw new RangeError('not exactly one host name')
  return extension.toString('latin1', 5).toLowerCase()
}
