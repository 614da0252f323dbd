import { closeSync, constants, fstatSync, ftruncateSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { readName } from './read-destination.ts'

/** 198.18.0.0/15 is set aside for measurements (RFC 2544): nobody's server has an address of it. */
const RANGE = /^198\.(18|19)\.(\d{1,3})\.(\d{1,3})$/
/** The first addresses stay free, for whatever the runtimes want to have one for. */
const FIRST = 256
const MOST_NAMES = 16_384
const LINE = /^(\S+) (\S+)$/
const ANY_ADDRESS = /198\.1[89]\.\d{1,3}\.\d{1,3}/g
/** Put at the end of a line that is cut, so that it maps nothing. */
const CUT = ' ?\n'

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
  /** Of the file as it was found, and of what was added since. */
  #size = 0
  /** What has to be written before the next line. */
  #before = ''

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
    this.#append(`${address} ${name}\n`)
    this.#next += 1
    this.#remember(address, name)
    return address
  }

  close(): void {
    closeSync(this.#file)
  }

  /** Writes the whole line or nothing, also when the disk is full: what follows a line that is cut would be lost with it. */
  #append(added: string): void {
    const line = `${this.#before}${added}`
    const { size } = fstatSync(this.#file)
    if (size < this.#size) throw new Error('the file of names was cut; restart the workload')
    if (size > this.#size) ftruncateSync(this.#file, this.#size)
    if (writeSync(this.#file, line, null, 'latin1') !== line.length) {
      ftruncateSync(this.#file, this.#size)
      throw new Error('the disk is full')
    }
    this.#size += line.length
    this.#before = ''
  }

  /** Takes what it can read. Whatever a line says that it cannot, no address in it is given again. */
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
