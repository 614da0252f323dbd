import { HEADER_NAME, NOT_IN_HEADER_VALUE } from '../head-grammar.ts'

/** Header names are few. A server that makes them up as it goes must not fill the memory. */
const MAX_KNOWN = 64

/** The gateway sets these itself and ignores what a caller says about them. */
const OURS: ReadonlySet<string> = new Set(['connection', 'content-length'])
/** These would change how the request is read, or what kind of connection it is. */
const REFUSED: ReadonlySet<string> = new Set(['transfer-encoding', 'keep-alive', 'upgrade', 'expect'])

/** Writes the heads of the requests to one server. No value can add a line of its own. */
export class RequestHeads {
  readonly #host: string
  /** The last line for each name: most headers equal those of the request before. */
  readonly #lines = new Map<string, { value: string; line: string }>()

  constructor(host: string) {
    this.#host = host
  }

  write(
    { method, path, headers }: { method: string; path: string; headers: Readonly<Record<string, string>> },
    bodyBytes: number | undefined,
  ): string {
    let host = this.#host
    let lines = ''
    for (const name in headers) {
      const value = headers[name]
      if (value === undefined) continue
      const line = this.#line(name, value)
      if (line === '') continue
      // A server that answers under several names may be asked for one of them.
      if (name.length === 4 && name.toLowerCase() === 'host') host = value
      else lines += line
    }
    const length = bodyBytes === undefined ? '' : `content-length: ${bodyBytes}\r\n`
    return `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\n${lines}${length}\r\n`
  }

  #line(name: string, value: string): string {
    const known = this.#lines.get(name)
    if (known?.value === value) return known.line
    const line = lineOf(name, value)
    if (known !== undefined || this.#lines.size < MAX_KNOWN) this.#lines.set(name, { value, line })
    return line
  }
}

function lineOf(name: string, value: string): string {
  const lower = name.toLowerCase()
  if (!HEADER_NAME.test(name)) throw new TypeError(`${JSON.stringify(name)} cannot be the name of a header`)
  if (REFUSED.has(lower)) throw new TypeError(`the header ${lower} cannot be sent to a server`)
  if (NOT_IN_HEADER_VALUE.test(value)) throw new TypeError(`the header ${lower} has characters that are not allowed`)
  return OURS.has(lower) ? '' : `${name}: ${value}\r\n`
}
