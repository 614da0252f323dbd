import { closeSync, constants, fstatSync, ftruncateSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { readName } from './read-destination.ts'

/** 198.18.0.0/15 is reserved for benchmarks (RFC 2544), so no server has an address in it. */
const RANGE = /^198\.(18|19)\.(\d{1,3})\.(\d{1,3})$/
/** The first addresses stay free for the runtimes. */
const FIRST = 256
const MOST_NAMES = 16_384
const LINE = /^(\S+) (\S+)$/
const ANY_ADDRESS = /198\.1[89]\.\d{1,3}\.\d{1,3}/g
/** Appended to a truncated line, so that it maps nothing. */
const CUT = ' ?\n'

export function isMappedRange(address: string): boolean {
  return RANGE.test(address)
}

/**
 * Maps the names that one workload's programs resolve to addresses. An address never gets another name while the map's file
 * exists. Containers outlive the daemon, so the file does too.
 */
export class NameMap {
  readonly #file: number
  readonly #most: number
  readonly #addresses = new Map<string, string>()
  /** Undefined if the file has several names for it, so that it stands for none. */
  readonly #names = new Map<string, string | undefined>()
  /** Counted from the first address of the range. */
  #next = FIRST
  /** Size of the file when it was read, plus the lines added since. */
  #size = 0
  /** Text to write before the next line. */
  #before = ''

  constructor(path: string, most = MOST_NAMES) {
    this.#most = most
    this.#file = openFile(path)
    this.#load()
  }

  nameOf(address: string): string | undefined {
    return this.#names.get(address)
  }

  /** Undefined if the map is full. */
  addressOf(name: string): string | undefined {
    const known = this.#addresses.get(name)
    if (known !== undefined) return known
    if (this.#next >= FIRST + this.#most) return undefined
    const address = addressAt(this.#next)
    // Stored before it is returned, because a later daemon must know it.
    this.#append(`${address} ${name}\n`)
    this.#next += 1
    this.#remember(address, name)
    return address
  }

  close(): void {
    closeSync(this.#file)
  }

  /** Writes the whole line or nothing, even if the disk is full. A truncated line would destroy the line after it. */
  #append(added: string): void {
    const line = `${this.#before}${added}`
    const { size } = fstatSync(this.#file)
    if (size < this.#size) throw new Error("the workload's name file was truncated; restart the workload")
    if (size > this.#size) ftruncateSync(this.#file, this.#size)
    if (writeSync(this.#file, line, null, 'latin1') !== line.length) {
      ftruncateSync(this.#file, this.#size)
      throw new Error('the disk is full')
    }
    this.#size += line.length
    this.#before = ''
  }

  /** Reads the valid lines. Addresses in an invalid line are never assigned again. */
  #load(): void {
    const text = readFileSync(this.#file, 'latin1')
    const isCut = text !== '' && !text.endsWith('\n')
    this.#size = text.length
    this.#before = isCut ? CUT : ''
    const lines = text.split('\n').slice(0, -1)
    this.#next = FIRST + lines.length + (isCut ? 1 : 0)
    for (const [address] of text.matchAll(ANY_ADDRESS))
      this.#next = Math.max(this.#next, (positionOf(address) ?? 0) + 1)
    for (const line of lines) {
      const [, address = '', name = ''] = LINE.exec(line) ?? []
      if (positionOf(address) === undefined || readName(name) !== name) continue
      if (this.#names.has(address) && this.#names.get(address) !== name) this.#names.set(address, undefined)
      else this.#remember(address, name)
    }
    for (const [name, address] of this.#addresses) if (this.#names.get(address) !== name) this.#addresses.delete(name)
  }

  #remember(address: string, name: string): void {
    this.#names.set(address, name)
    this.#addresses.set(name, address)
  }
}

/** Creates the file if it is missing, or if something else is in its place. */
function openFile(path: string): number {
  const flags = constants.O_RDWR | constants.O_CREAT | constants.O_APPEND | constants.O_NOFOLLOW
  try {
    return openSync(path, flags, 0o600)
  } catch {
    rmSync(path, { recursive: true, force: true })
    return openSync(path, flags, 0o600)
  }
}

function addressAt(position: number): string {
  return `198.${18 + (position >> 16)}.${(position >> 8) & 255}.${position & 255}`
}

function positionOf(address: string): number | undefined {
  const [, second, third, fourth] = RANGE.exec(address) ?? []
  const position = (Number(second) - 18) * 65_536 + Number(third) * 256 + Number(fourth)
  // Also refuses other spellings, such as 198.18.01.0.
  return addressAt(position) === address ? position : undefined
}
