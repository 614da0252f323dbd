import { type Column, renderTable } from './table.ts'

/** The only way commands write. Results go to stdout, everything said about them to stderr. */
export interface Output {
  line(text: string): void
  json(value: unknown): void
  table<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): void
  /** Something the user should know that is not the result. */
  note(text: string): void
  readonly isTerminal: boolean
  readonly colour: Colour
}

export interface Colour {
  green: (text: string) => string
  red: (text: string) => string
  yellow: (text: string) => string
  dim: (text: string) => string
  bold: (text: string) => string
}

export interface OutputStreams {
  stdout: { write: (text: string) => unknown; isTTY?: boolean; columns?: number }
  stderr: { write: (text: string) => unknown; isTTY?: boolean }
  env: Readonly<Record<string, string | undefined>>
}

export function createOutput({ stdout, stderr, env }: OutputStreams): Output {
  const isTerminal = stdout.isTTY === true
  const hasColour = isTerminal && !env['NO_COLOR'] && env['TERM'] !== 'dumb'
  const paint = (code: string) => (text: string) => (hasColour ? `\u001B[${code}m${text}\u001B[0m` : text)
  return {
    isTerminal,
    colour: { green: paint('32'), red: paint('31'), yellow: paint('33'), dim: paint('2'), bold: paint('1') },
    line: (text) => void stdout.write(`${text}\n`),
    json: (value) => void stdout.write(`${JSON.stringify(value, null, 2)}\n`),
    table: (columns, rows) => void stdout.write(renderTable(columns, rows, isTerminal ? stdout.columns : undefined)),
    note: (text) => void stderr.write(`${text}\n`),
  }
}
