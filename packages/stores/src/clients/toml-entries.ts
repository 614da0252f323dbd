import { invalid } from '@toolhaven/core/errors'
import { parse, stringify, TomlError } from 'smol-toml'
import type { EntriesDocument, EntryFields, EntryShape } from './entries-document.ts'
import { urlFieldsOf } from './entry-form.ts'
import type { Footprint } from './owned-entries.ts'
import { type TomlSection, tomlSections } from './toml-sections.ts'

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
  const find = (key: string, url: string) =>
    urlIn(shape, servers()[key]) === url ? entrySection(text, serversKey, key) : undefined
  const replace = ({ from, to }: Pick<TomlSection, 'from' | 'to'>, by: string) => {
    text = text.slice(0, from) + by + text.slice(to)
  }
  return {
    footprint,
    list: () =>
      Object.entries(servers()).map(([key, value]) => ({
        key,
        url: urlIn(shape, value),
        isExactly: (fields) =>
          entrySection(text, serversKey, key) !== undefined && stringify(tableOf(value)) === stringify({ ...fields }),
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
      const section = find(key, url)
      if (section === undefined) return
      const own = text.slice(section.from, section.to)
      replace(section, withFields(own, fields))
    },
    remove(key, url) {
      const section = find(key, url)
      if (section === undefined) return
      const wasLast = section.to === text.length
      replace(withLead(text, section), '')
      if (wasLast && footprint.insideRoot === NO_LINE_END) text = text.replace(/\r?\n$/, '')
    },
    foreignPart(isOurs) {
      const { [serversKey]: all, ...rest } = parseToml(text, file)
      const others = Object.entries(tableOf(all)).filter(([key, value]) => !isOurs(key, urlIn(shape, value)))
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
  const sections = tomlSections(text)
  const isOfEntry = ({ path }: TomlSection) => path[0] === serversKey && path[1] === key
  const first = sections.findIndex(isOfEntry)
  const own = sections[first]
  const last = sections[first + sections.filter(isOfEntry).length - 1]
  if (own?.path.length !== 2 || last === undefined || !isOfEntry(last)) return undefined
  return { ...own, to: last.to }
}

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

/** Each of these fields is one line in what we write. */
function withFields(section: string, fields: EntryFields): string {
  const eol = section.includes('\r\n') ? '\r\n' : '\n'
  return Object.entries(fields).reduce((text, [field, value]) => {
    const line = stringify({ [field]: value }).trimEnd()
    const present = new RegExp(`^[ \\t]*${field}[ \\t]*=[^\\r\\n]*`, 'm')
    // A function: the value may hold a "$".
    return present.test(text)
      ? text.replace(present, () => line)
      : text.replace(/\r?\n|$/, (end) => `${end || eol}${line}${eol}`)
  }, section)
}
