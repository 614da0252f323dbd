import { invalid } from '@toolhaven/core/errors'
import { parse, stringify, TomlError } from 'smol-toml'
import type { EntriesDocument, EntryFields, EntryShape } from './entries-document.ts'
import { urlFieldsOf } from './entry-form.ts'
import type { Footprint } from './owned-entries.ts'
import { type TomlSection, tomlSections, valueIn } from './toml-sections.ts'

/** In the footprint: the last line of the file had no end. */
const NO_LINE_END = 'no line end'

/** Entries are tables of their own, `[mcp_servers.time]`. In another spelling an entry is read, and never ours. */
export function openTomlEntries(
  file: string,
  found: string | null,
  before: Footprint,
  shape: EntryShape,
): EntriesDocument {
  const footprint: Footprint = { ...before }
  let text = found ?? ''
  if (found === null) footprint.blank = null
  const { serversKey } = shape
  parseToml(text, file)
  const servers = () => tableOf(parseToml(text, file)[serversKey])
  const isOwnTable = (key: string) => ownTable(entrySections(text, serversKey, key)) !== undefined
  const sectionsOf = (key: string, url: string) =>
    urlIn(shape, servers()[key]) === url && isOwnTable(key) ? entrySections(text, serversKey, key) : []
  const replace = ({ from, to }: Pick<TomlSection, 'from' | 'to'>, by: string) => {
    text = text.slice(0, from) + by + text.slice(to)
  }
  return {
    footprint,
    list: () =>
      Object.entries(servers()).map(([key, value]) => ({
        key,
        url: urlIn(shape, value),
        isEditable: isOwnTable(key),
        isExactly: (fields) => isOwnTable(key) && stringify(tableOf(value)) === stringify({ ...fields }),
      })),
    add(entries) {
      if (entries.size === 0) return
      const eol = text.includes('\r\n') ? '\r\n' : '\n'
      if (text !== '' && !text.endsWith('\n')) footprint.insideRoot = NO_LINE_END
      for (const [key, fields] of entries) {
        const lead = text === '' ? '' : `${text.endsWith('\n') ? '' : eol}${eol}`
        text += lead + tableText(serversKey, key, fields, eol)
      }
      refuseClosedTable(text, file, serversKey)
    },
    change(key, url, fields) {
      const section = ownTable(sectionsOf(key, url))
      if (section) replace(section, withFields(text.slice(section.from, section.to), fields))
    },
    remove(key, url) {
      const sections = sectionsOf(key, url)
      const wasLast = sections.at(-1)?.to === text.length
      for (const section of sections.toReversed()) replace(withLead(text, section), '')
      if (wasLast && footprint.insideRoot === NO_LINE_END) text = text.replace(/\r?\n$/, '')
    },
    foreignPart(isOurs) {
      const { [serversKey]: all, ...rest } = parseToml(text, file)
      const others = Object.entries(tableOf(all)).filter(
        ([key, value]) => !isOwnTable(key) || !isOurs(key, urlIn(shape, value)),
      )
      return JSON.stringify([Object.entries(rest), others])
    },
    close: () => (footprint.blank === null && text === '' ? null : text),
  }
}

export function parseToml(text: string, file: string): Record<string, unknown> {
  try {
    return parse(text)
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    const [reason = ''] = error.message.split('\n')
    throw invalid(
      `${file} was left as it is, because it cannot be read at line ${error.line}, column ${error.column}: ${reason}; correct it and try again`,
      error,
    )
  }
}

export const tableOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}

function urlIn(shape: EntryShape, value: unknown): string | undefined {
  const urls = urlFieldsOf(shape).map((field) => tableOf(value)[field])
  return urls.find((url) => typeof url === 'string')
}

/** The table of an entry with those below it, if they stand together. */
export function entrySection(text: string, serversKey: string, key: string): TomlSection | undefined {
  const all = tomlSections(text)
  const sections = all.filter(isOfEntry(serversKey, key))
  const [own, last] = [sections[0], sections.at(-1)]
  if (own?.path.length !== 2 || last === undefined) return undefined
  return all.indexOf(last) - all.indexOf(own) === sections.length - 1 ? { ...own, to: last.to } : undefined
}

/** All tables of an entry, in order, wherever they stand. */
const entrySections = (text: string, serversKey: string, key: string) =>
  tomlSections(text).filter(isOfEntry(serversKey, key))

const isOfEntry =
  (serversKey: string, key: string) =>
  ({ path }: TomlSection) =>
    path[0] === serversKey && path[1] === key

const ownTable = (sections: readonly TomlSection[]) => sections.find(({ path }) => path.length === 2)

/** With the blank line that we put before it. */
function withLead(text: string, { from, to }: TomlSection): { from: number; to: number } {
  const lead = /(?:^|\n)(\r?\n)$/.exec(text.slice(0, from))?.[1] ?? ''
  return { from: from - lead.length, to }
}

export function tableText(
  serversKey: string,
  key: string,
  fields: EntryFields | Record<string, unknown>,
  eol: string,
): string {
  const lines = stringify({ [serversKey]: { [key]: { ...fields } } }).split('\n')
  return lines
    .filter((line) => line !== '' && line !== `[${serversKey}]`)
    .map((line) => line + eol)
    .join('')
}

/** `mcp_servers = { … }` in one line takes no further tables. */
function refuseClosedTable(text: string, file: string, serversKey: string): void {
  try {
    parse(text)
  } catch (error) {
    throw invalid(
      `${file} was left as it is, because nothing can be added to ${serversKey} as it is written there; write its entries as tables, such as [${serversKey}.name], and try again`,
      error,
    )
  }
}

/** A field that is not there yet goes behind the header. */
function withFields(table: string, fields: EntryFields): string {
  const eol = table.includes('\r\n') ? '\r\n' : '\n'
  return Object.entries(fields).reduce((text, [field, value]) => {
    const line = stringify({ [field]: value }).trimEnd()
    const present = valueIn(text, field)
    // A function: the value may hold a "$".
    if (!present) return text.replace(/\r?\n|$/, (end) => `${end || eol}${line}${eol}`)
    return text.slice(0, present.from) + line.slice(line.indexOf('=') + 1).trimStart() + text.slice(present.to)
  }, table)
}
