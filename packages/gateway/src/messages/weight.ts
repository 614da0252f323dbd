import { WrittenRequest, type RpcRequest } from './json-rpc.ts'
import { sizeOf } from './parts.ts'

/** Bytes for a call without its request: the call, its reply, and the entries in maps. */
const CALL = 1024
/** Bytes for an empty object or list. */
const CONTAINER = 56
/** Bytes for a value in the object or list that contains it. */
const VALUE = 16

/**
 * Approximate bytes of memory that a request takes while it waits for its answer: `[{},{},…]` takes 25 times as many as
 * were sent. Counting stops a little beyond `most`.
 */
export function weightOf(request: RpcRequest, most: number): number {
  if (request.bytes !== undefined && request.outline !== undefined) return CALL + sizeOf(request.bytes)
  // The original text is kept besides the parsed form.
  const text = request instanceof WrittenRequest ? 0 : request.text.length
  return CALL + text + weightOfValue(request.params, most)
}

/** The same for a parsed JSON value. */
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

/** Lighter calls have room of their own: clients that send large calls do not block those that send small ones. */
const LIGHT = 64 * 1024

/** Limits the memory that calls take until they are answered, for one workload or for all of them. */
export class CallMemory {
  readonly #most: number
  readonly #whole: CallMemory | undefined
  #taken = 0

  /** What counts here counts in `whole` too. */
  constructor(most: number, whole?: CallMemory) {
    this.#most = most
    this.#whole = whole
  }

  /** No single call may take more than this. */
  get mostOfOne(): number {
    return this.#most / 2
  }

  /** Takes the room if there is enough, and returns whether there was. */
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

/** Room that a request takes before it is a call: while its body arrives, and while it waits for the server. */
export class HeldRoom {
  readonly #memory: CallMemory
  #bytes = 0

  constructor(memory: CallMemory) {
    this.#memory = memory
  }

  /** Returns false when there is no room for this many bytes in total. Then nothing is held. */
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
