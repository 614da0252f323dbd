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
  let content = contentOf(text, file, serversKey)
  const isOwnTable = (key: string) => ownTable(content.tables.get(key)) !== undefined
  const sectionsOf = (key: string, url: string) =>
    urlIn(shape, content.servers[key]) === url && isOwnTable(key) ? (content.tables.get(key) ?? []) : []
  const become = (to: string) => {
    text = to
    content = contentOf(text, file, serversKey)
  }
  return {
    footprint,
    list: () =>
      Object.entries(content.servers).map(([key, value]) => ({
        key,
        url: urlIn(shape, value),
        isEditable: isOwnTable(key),
        isExactly: (fields) => isOwnTable(key) && stringify(tableOf(value)) === stringify({ ...fields }),
      })),
    add(entries) {
      if (entries.size === 0) return
      const eol = text.includes('\r\n') ? '\r\n' : '\n'
      if (text !== '' && !text.endsWith('\n')) footprint.insideRoot = NO_LINE_END
      let after = text
      for (const [key, fields] of entries) {
        const lead = after === '' ? '' : `${after.endsWith('\n') ? '' : eol}${eol}`
        after += lead + tableText(serversKey, key, fields, eol)
      }
      refuseClosedTable(after, file, serversKey)
      become(after)
    },
    change(key, url, fields) {
      const section = ownTable(sectionsOf(key, url))
      if (section === undefined) return
      const { from, to } = section
      become(text.slice(0, from) + withFields(text.slice(from, to), fields) + text.slice(to))
    },
    remove(key, url) {
      const sections = sectionsOf(key, url)
      const wasLast = sections.at(-1)?.to === text.length
      const rest = sections.toReversed().reduce(withoutSection, text)
      become(wasLast && footprint.insideRoot === NO_LINE_END ? rest.replace(/\r?\n$/, '') : rest)
    },
    foreignPart(isOurs) {
      const others = Object.entries(content.servers).filter(
        ([key, value]) => !isOwnTable(key) || !isOurs(key, urlIn(shape, value)),
      )
      return JSON.stringify([content.rest, others])
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

function contentOf(text: string, file: string, serversKey: string) {
  const { [serversKey]: servers, ...rest } = parseToml(text, file)
  return { servers: tableOf(servers), rest: Object.entries(rest), tables: entryTables(text, serversKey) }
}

/** The table of an entry with those below it, if they stand together. */
export function entrySection(sections: readonly TomlSection[] = []): TomlSection | undefined {
  const [own, last] = [sections[0], sections.at(-1)]
  if (own?.path.length !== 2 || last === undefined) return undefined
  return last.index - own.index === sections.length - 1 ? { ...own, to: last.to } : undefined
}

/** All tables of each entry, in order, wherever they stand. */
export function entryTables(text: string, serversKey: string): ReadonlyMap<string, readonly TomlSection[]> {
  const ofServers = tomlSections(text).filter(({ path }) => path[0] === serversKey && path.length > 1)
  return Map.groupBy(ofServers, ({ path: [, key = ''] }) => key)
}

const ownTable = (sections: readonly TomlSection[] = []) => sections.find(({ path }) => path.length === 2)

/** The blank line that we put before it goes too. */
function withoutSection(text: string, { from, to }: TomlSection): string {
  const lead = /(?:^|\n)(\r?\n)$/.exec(text.slice(0, from))?.[1] ?? ''
  return text.slice(0, from - lead.length) + text.slice(to)
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
