import { createSlowTeller } from './slow-teller.ts'
import { type Screen, createRoll, createScreen } from './screen.ts'
import { printable } from '@toolhaven/contract/visible-text'
import { type Column, renderTable } from './table.ts'

/** All output of commands goes through this. Results go to stdout, everything else to stderr. */
export interface Output {
  line(text: string): void
  json(value: unknown): void
  table<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): void
  /** The same as a text, including its newline. */
  rendered<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string
  /** For a text that changes. Other output in the meantime would be overwritten. */
  screen(): Screen
  /** Something the user should know that is not the result. */
  note(text: string): void
  /**
   * Progress, on one line of the terminal that the next output erases. An empty text erases it at once. Without a terminal, prints
   * a new line every few seconds.
   */
  transient(text: string): void
  readonly isTerminal: boolean
  readonly colour: Colour
}

export interface Colour {
  green: (text: string) => string
  red: (text: string) => string
  yellow: (text: string) => string
  blue: (text: string) => string
  magenta: (text: string) => string
  cyan: (text: string) => string
  dim: (text: string) => string
  bold: (text: string) => string
}

export interface OutputStreams {
  stdout: { write: (text: string) => unknown; isTTY?: boolean; columns?: number; rows?: number }
  stderr: { write: (text: string) => unknown; isTTY?: boolean; columns?: number }
  env: Readonly<Record<string, string | undefined>>
  now?: () => number
}

export function createOutput({ stdout, stderr, env, now = () => performance.now() }: OutputStreams): Output {
  const isTerminal = stdout.isTTY === true
  const hasColour = isTerminal && !env['NO_COLOR'] && env['TERM'] !== 'dumb'
  const paint = (code: string) => (text: string) => (hasColour ? `\u001B[${code}m${text}\u001B[0m` : text)
  let hasTransient = false
  const erase = () => {
    if (hasTransient) stderr.write('\r\u001B[K')
    hasTransient = false
  }
  const tellSlowly = createSlowTeller((line) => stderr.write(`${line}\n`), now)
  const result = (text: string) => {
    erase()
    stdout.write(text)
  }
  const rendered: Output['rendered'] = (columns, rows) =>
    renderTable(columns, rows, isTerminal ? stdout.columns : undefined)
  return {
    isTerminal,
    colour: {
      ...{ red: paint('31'), green: paint('32'), yellow: paint('33'), blue: paint('34') },
      ...{ magenta: paint('35'), cyan: paint('36'), dim: paint('2'), bold: paint('1') },
    },
    line: (text) => result(`${text}\n`),
    json: (value) => result(`${terminalJson(value, 2)}\n`),
    table: (columns, rows) => result(rendered(columns, rows)),
    rendered,
    screen: () => (isTerminal && env['TERM'] !== 'dumb' ? createScreen(stdout) : createRoll(result)),
    note: (text) => {
      erase()
      stderr.write(`${text}\n`)
    },
    transient: (text) => {
      if (stderr.isTTY !== true || env['TERM'] === 'dumb') return void tellSlowly(printable(text))
      erase()
      if (text === '') return
      // One column stays free: a full line would wrap, and only its second half could be erased.
      stderr.write(printable(text).slice(0, (stderr.columns ?? 80) - 1))
      hasTransient = true
    },
  }
}

/** JSON escapes controls below the space itself. Those from U+007F to U+009F, and those that turn the direction of text, drive some terminals just as well. */
export function terminalJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replaceAll(
    /[\u007F-\u009F\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g,
    (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
