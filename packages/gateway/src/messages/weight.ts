import { WrittenRequest, type RpcRequest } from './json-rpc.ts'
import { sizeOf } from './parts.ts'

/** What a call takes besides its request: itself, its reply, and where they are noted. */
const CALL = 1024
/** What an empty object or list takes. */
const CONTAINER = 56
/** What a value takes in the object or list that it is in. */
const VALUE = 16

/**
 * How many bytes of memory a request takes while it waits for its answer, roughly: `[{},{},…]` takes 25 times as many as were
 * sent. Counting ends a little beyond `most`.
 */
export function weightOf(request: RpcRequest, most: number): number {
  if (request.bytes !== undefined && request.outline !== undefined) return CALL + sizeOf(request.bytes)
  // A text that came is kept besides what was read from it.
  const text = request instanceof WrittenRequest ? 0 : request.text.length
  return CALL + text + weightOfValue(request.params, most)
}

/** The same for what was read from JSON. */
export function weightOfValue(value: unknown, most: number): number {
  if (typeof value === 'string') return VALUE + value.length
  if (typeof value !== 'object' || value === null) return VALUE
  let weight = VALUE + CONTAINER
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length && weight <= most; at++) weight += weightOfValue(value[at], most - weight)
    return weight
  }
  for (const [key, item] of Object.entries(value)) {
    if (weight > most) break
    weight += key.length + weightOfValue(item, most - weight)
  }
  return weight
}

/** Below this, calls have room of their own: who sends large ones does not keep out those who send small ones. */
const LIGHT = 64 * 1024

/** A bound on the memory that calls take until they are answered, of a workload or of all of them. */
export class CallMemory {
  readonly #most: number
  readonly #whole: CallMemory | undefined
  #taken = 0

  /** What counts here counts in `whole` too. */
  constructor(most: number, whole?: CallMemory) {
    this.#most = most
    this.#whole = whole
  }

  /** More than this no call may take by itself. */
  get mostOfOne(): number {
    return this.#most / 2
  }

  /** Whether there was room, which is taken then. */
  take(weight: number): boolean {
    const most = weight < LIGHT ? this.#most * 1.5 : this.#most
    if (this.#taken + weight > most || this.#whole?.take(weight) === false) return false
    this.#taken += weight
    return true
  }

  give(weight: number): void {
    this.#taken -= weight
    this.#whole?.give(weight)
  }
}

/** Room that a request holds before it is a call: while its body comes, and while it waits for the server. */
export class HeldRoom {
  readonly #memory: CallMemory
  #bytes = 0

  constructor(memory: CallMemory) {
    this.#memory = memory
  }

  /** False where there is no room for so many bytes in all; then none is held. */
  hold(bytes: number): boolean {
    this.release()
    if (!this.#memory.take(bytes)) return false
    this.#bytes = bytes
    return true
  }

  release(): void {
    this.#memory.give(this.#bytes)
    this.#bytes = 0
  }
}
