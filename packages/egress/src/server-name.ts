/** What the first bytes of a connection say about whom it is for. */
export type FirstBytes = { kind: 'more' } | { kind: 'not-tls' } | { kind: 'tls'; serverName: string | undefined }

const HANDSHAKE_RECORD = 0x16
const CLIENT_HELLO = 0x01
const SERVER_NAME = 0
const HOST_NAME = 0

/** No honest first message of a client is longer. */
const LONGEST_HELLO = 32 * 1024

/** Reads the name a TLS client asks for (RFC 6066) from as many bytes as have come. */
export function readServerName(bytes: Buffer): FirstBytes {
  const hello = readHello(bytes)
  if (!Buffer.isBuffer(hello)) return hello
  try {
    return { kind: 'tls', serverName: nameOf(hello) }
  } catch (error) {
    // A length that points past the end: no TLS library writes that.
    if (error instanceof RangeError) return { kind: 'not-tls' }
    throw error
  }
}

/** The ClientHello, put together from as many records as it was cut into. */
function readHello(bytes: Buffer): Buffer | FirstBytes {
  const parts: Buffer[] = []
  let have = 0
  let at = 0
  while (true) {
    if (bytes.length > at && bytes[at] !== HANDSHAKE_RECORD) return { kind: 'not-tls' }
    if (bytes.length < at + 5) return { kind: 'more' }
    const length = bytes.readUInt16BE(at + 3)
    if (bytes[at + 1] !== 3 || length === 0) return { kind: 'not-tls' }
    const part = bytes.subarray(at + 5, at + 5 + length)
    parts.push(part)
    have += part.length
    if (have >= 4) {
      const message = Buffer.concat(parts)
      const wanted = message.readUIntBE(1, 3)
      if (message[0] !== CLIENT_HELLO || wanted > LONGEST_HELLO) return { kind: 'not-tls' }
      if (message.length >= 4 + wanted) return message.subarray(4, 4 + wanted)
    }
    if (part.length < length) return { kind: 'more' }
    at += 5 + length
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
      // Two of them would let each reader choose another one.
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
