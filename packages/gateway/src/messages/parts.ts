import { LARGE_BYTES, type LargeLine } from './json-rpc.ts'

/** Returns the parts as they are, unless they are many small ones: those cost more to pass on than to join. */
export function fewParts(parts: readonly Buffer[], size: number, leastInFirst = 0): LargeLine {
  const [first, ...rest] = parts
  const isWorthIt = first !== undefined && first.length >= leastInFirst && parts.length * LARGE_BYTES <= size
  return isWorthIt ? [first, ...rest] : [joined(parts)]
}

/** This many parts are kept as they came, whatever their size. Usually there is one. */
const FEW = 8
const blocks = new WeakSet<ArrayBufferLike>()

/**
 * Appends a part. Small parts are copied together: a client that sends single bytes would otherwise make us keep
 * hundreds for each.
 */
export function addPart(parts: Buffer[], bytes: Buffer): void {
  if (parts.length < FEW || bytes.length >= LARGE_BYTES) return void parts.push(bytes)
  const last = parts.at(-1)
  if (last !== undefined && blocks.has(last.buffer) && last.length + bytes.length <= last.buffer.byteLength) {
    const block = Buffer.from(last.buffer)
    bytes.copy(block, last.length)
    parts[parts.length - 1] = block.subarray(0, last.length + bytes.length)
    return
  }
  const block = Buffer.allocUnsafeSlow(LARGE_BYTES)
  blocks.add(block.buffer)
  bytes.copy(block)
  parts.push(block.subarray(0, bytes.length))
}

export function joined(parts: readonly Buffer[]): Buffer {
  const [first] = parts
  return parts.length === 1 && first !== undefined ? first : Buffer.concat(parts)
}

export function sizeOf(parts: readonly Uint8Array[]): number {
  return parts.reduce((size, part) => size + part.length, 0)
}
