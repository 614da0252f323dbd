import { LARGE_BYTES, type LargeLine } from './json-rpc.ts'

/** As they are, unless they are many small ones: those cost more to hand on than to join. */
export function fewParts(parts: readonly Buffer[], size: number, leastInFirst = 0): LargeLine {
  const [first, ...rest] = parts
  const isWorthIt = first !== undefined && first.length >= leastInFirst && parts.length * LARGE_BYTES <= size
  return isWorthIt ? [first, ...rest] : [joined(parts)]
}

export function joined(parts: readonly Buffer[]): Buffer {
  const [first] = parts
  return parts.length === 1 && first !== undefined ? first : Buffer.concat(parts)
}

export function sizeOf(parts: readonly Uint8Array[]): number {
  return parts.reduce((size, part) => size + part.length, 0)
}
