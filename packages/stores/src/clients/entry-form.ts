import type { ClientEntry } from '@toolhaven/core/ports/clients'
import { getNodeValue, type Node } from 'jsonc-parser'
import type { PlainValue } from './jsonc-insert.ts'
import { findProperty, propertiesOf, stringIn, valueOf } from './jsonc-text.ts'

type ByTransport = Readonly<Record<ClientEntry['transport'], string>>

/** How a program writes an entry with an address. */
export interface EntryForm {
  /** The field for the address. Without it, the program can only start commands, and gets a bridge to the address. */
  urlFields?: ByTransport
  /** The value of `type`. Undefined if the program does not need it. */
  types?: ByTransport
  /** Further fields that the program needs, with constant values. */
  extra?: Readonly<Record<string, PlainValue>>
  /** The field that holds the name of the entry. */
  nameField?: 'name'
  /** The program cannot use SSE addresses. Every workload also has the other address. */
  isHttpOnly?: boolean
  /** How `thv` is started, for a bridge. A program with a desktop of its own finds no command by its name alone. */
  ownCommand?: readonly string[]
}

/** Where the program finds the workload. */
export function entryFor({ isHttpOnly }: EntryForm, entry: ClientEntry): ClientEntry {
  if (isHttpOnly !== true || entry.transport !== 'sse') return entry
  return { url: entry.url.replace(/\/sse$/, '/mcp'), transport: 'streamable-http' }
}

const BRIDGE = ['proxy', 'stdio'] as const

/** The entry that we write under a key, in the order of its fields. */
export function entryFields(form: EntryForm, { url, transport }: ClientEntry, key: string): Record<string, PlainValue> {
  if (form.urlFields === undefined) {
    const [command = 'thv', ...args] = form.ownCommand ?? []
    return { command, args: [...args, ...BRIDGE, url], ...form.extra }
  }
  return {
    ...(form.nameField && { [form.nameField]: key }),
    [form.urlFields[transport]]: url,
    ...(form.types && { type: form.types[transport] }),
    ...form.extra,
  }
}

/** Distinguishes forms of an entry with the same address. */
export function entryType({ urlFields, types, ownCommand }: EntryForm, { transport }: ClientEntry): string {
  return urlFields === undefined ? (ownCommand ?? []).join(' ') : (types?.[transport] ?? '')
}

/** The address of an entry. Undefined if it has none, or none that this form would write. */
export function entryUrl(form: EntryForm, value: Node | undefined): string | undefined {
  if (form.urlFields === undefined) return bridgedUrl(argumentsOf(value))
  return urlFieldsOf(form)
    .map((field) => stringIn(value, field))
    .find((url) => url !== undefined)
}

/** The address in `thv proxy stdio ADDRESS`. */
export function bridgedUrl(args: readonly unknown[]): string | undefined {
  const [proxy, stdio, url] = args.slice(-3)
  return proxy === BRIDGE[0] && stdio === BRIDGE[1] && typeof url === 'string' && /^https?:\/\//.test(url)
    ? url
    : undefined
}

function argumentsOf(value: Node | undefined): readonly unknown[] {
  const property = value?.type === 'object' ? findProperty(value, 'args') : undefined
  const node = property && valueOf(property)
  const args: unknown = node && getNodeValue(node)
  return Array.isArray(args) ? args : []
}

export const urlFieldsOf = ({ urlFields }: EntryForm): readonly string[] => [...new Set(Object.values(urlFields ?? {}))]

/** Whether the entry has exactly the fields and values that we would write. */
export function isExactly(fields: Readonly<Record<string, PlainValue>>, value: Node | undefined): boolean {
  if (value?.type !== 'object' || propertiesOf(value).length !== Object.keys(fields).length) return false
  return Object.entries(fields).every(([field, wanted]) => {
    const property = findProperty(value, field)
    const node = property && valueOf(property)
    return node !== undefined && JSON.stringify(getNodeValue(node)) === JSON.stringify(wanted)
  })
}
