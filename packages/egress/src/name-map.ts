import { closeSync, constants, ftruncateSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { readName } from './read-destination.ts'

/** 198.18.0.0/15 is set aside for measurements (RFC 2544): nobody's server has an address of it. */
const RANGE = /^198\.(18|19)\.(\d{1,3})\.(\d{1,3})$/
/** The first addresses stay free, for whatever the runtimes want to have one for. */
const FIRST = 256
const MOST_NAMES = 16_384
const LINE = /^(\S+) (\S+)$/

export function isMappedRange(address: string): boolean {
  return RANGE.test(address)
}

/**
 * Names of one workload and the addresses that stand for them, for programs that resolve names themselves. An address never gets
 * another name while the map's file is there. Containers outlive the daemon, so the file does too.
 */
export class NameMap {
  readonly #file: number
  readonly #most: number
  readonly #addresses = new Map<string, string>()
  /** Undefined: the file has several names for it, so it stands for none. */
  readonly #names = new Map<string, string | undefined>()
  /** Counted from the first address of the range. */
  #next = FIRST

  constructor(path: string, most = MOST_NAMES) {
    this.#most = most
    this.#file = openFile(path)
    this.#load()
  }

  nameOf(address: string): string | undefined {
    return this.#names.get(address)
  }

  /** Undefined when the map is full. */
  addressOf(name: string): string | undefined {
    const known = this.#addresses.get(name)
    if (known !== undefined) return known
    if (this.#next >= FIRST + this.#most) return undefined
    const address = addressAt(this.#next)
    // Before it is told: a daemon that starts later must know it.
    writeSync(this.#file, `${address} ${name}\n`)
    this.#next += 1
    this.#remember(address, name)
    return address
  }

  close(): void {
    closeSync(this.#file)
  }

  /** Takes what it can read. Whatever a line says that it cannot, its address is not given again. */
  #load(): void {
    const text = readFileSync(this.#file, 'latin1')
    const whole = text.slice(0, text.lastIndexOf('\n') + 1)
    // A daemon that was killed while it wrote told nobody of this line.
    if (whole.length < text.length) ftruncateSync(this.#file, whole.length)
    const lines = whole.split('\n').slice(0, -1)
    this.#next = FIRST + lines.length
    for (const line of lines) {
      const [, address = '', name = ''] = LINE.exec(line) ?? []
      const at = positionOf(address)
      if (at === undefined || readName(name) !== name) continue
      this.#next = Math.max(this.#next, at + 1)
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

/** Makes it when it is not there, or when something else is. */
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
