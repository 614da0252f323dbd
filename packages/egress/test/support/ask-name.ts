import { connect } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { type DecodedPacket, decode, type Packet, type RecordType, streamEncode } from 'dns-packet'

/** What a socket for DNS answers to these bytes until it ends the connection. */
export async function sayTo(socketPath: string, bytes: Buffer): Promise<Buffer> {
  const socket = connect(socketPath)
  socket.write(bytes)
  return buffer(socket)
}

/** Asks one question, as a forwarder passes it on. */
export async function askName(
  socketPath: string,
  name: string,
  type: RecordType = 'A',
  change: Packet = {},
): Promise<DecodedPacket & { rcode?: string }> {
  const asked = streamEncode({
    type: 'query',
    id: 7,
    flags: 0x100,
    questions: [{ type, name, class: 'IN' }],
    ...change,
  })
  const answered = await sayTo(socketPath, asked)
  if (answered.length !== 2 + answered.readUInt16BE(0)) throw new Error('the answer has another length than it says')
  return decode(answered.subarray(2))
}
