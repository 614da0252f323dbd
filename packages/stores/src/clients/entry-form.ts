import type { ClientEntry } from '@toolhaven/core/ports/clients'
import { getNodeValue, type Node } from 'jsonc-parser'
import type { PlainValue } from './jsonc-insert.ts'
import { findProperty, propertiesOf, stringIn, valueOf } from './jsonc-text.ts'

type ByTransport = Readonly<Record<ClientEntry['transport'], string>>

/** How a program writes an entry that leads to an address. */
export interface EntryForm {
  /** The field of the address; left out: the program only starts commands, and gets a bridge to the address. */
  urlFields?: ByTransport
  /** The value of `type`; left out: the program tells transports apart without it. */
  types?: ByTransport
  /** Fields that the program needs besides, always the same. */
  extra?: Readonly<Record<string, PlainValue>>
  /** The field that holds the name of the entry. */
  nameField?: 'name'
  /** It reaches no SSE address. Every workload has the other one too. */
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

/** Tells forms of one entry apart that lead to the same address. */
export function entryType({ urlFields, types, ownCommand }: EntryForm, { transport }: ClientEntry): string {
  return urlFields === undefined ? (ownCommand ?? []).join(' ') : (types?.[transport] ?? '')
}

/** Where an entry leads to; undefined: to no address, or to none that this form writes. */
export function entryUrl(form: EntryForm, value: Node | undefined): string | undefined {
  if (form.urlFields === undefined) return bridgedUrl(argumentsOf(value))
  return urlFieldsOf(form)
    .map((field) => stringIn(value, field))
    .find((url) => url !== undefined)
}

/** The address that `thv proxy stdio ADDRESS` leads to. */
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

/** A field more or less, or another value, and the entry is not what we would write. */
export function isExactly(fields: Readonly<Record<string, PlainValue>>, value: Node | undefined): boolean {
  if (value?.type !== 'object' || propertiesOf(value).length !== Object.keys(fields).length) return false
  return Object.entries(fields).every(([field, wanted]) => {
    const property = findProperty(value, field)
    const node = property && valueOf(property)
    return node !== undefined && JSON.stringify(getNodeValue(node)) === JSON.stringify(wanted)
  })
}
