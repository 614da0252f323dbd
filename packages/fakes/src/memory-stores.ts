import type { ClientEntry, ClientFiles, ClientFilesPreview, ClientSyncResult } from '@toolhaven/core/ports/clients'
import type { Host, PackageIndex } from '@toolhaven/core/ports/host'
import type { Logger } from '@toolhaven/core/ports/logger'
import type { RenderRecipe } from '@toolhaven/core/ports/recipes'
import type { RegistrySource } from '@toolhaven/core/ports/registry-source'
import type { SecretsProvider, SecretsProviders } from '@toolhaven/core/ports/secrets'
import type {
  ConfigStore,
  DaemonConfig,
  Journal,
  JournalEntry,
  LogLine,
  LogQuery,
  LogStore,
  LogStream,
  RecordStore,
} from '@toolhaven/core/ports/stores'
import { invalid, notFound } from '@toolhaven/core/errors'
import type { RegistryDocument } from '@toolhaven/contract/registry-document'

export const silentLogger: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

/** Keeps deep copies, as a disk would. `failWith` makes the next writes fail, as a full disk would. */
export class MemoryRecordStore<T> implements RecordStore<T> {
  readonly records = new Map<string, T>()
  failWith: Error | undefined
  readonly #nameOf: (record: T) => string

  constructor(nameOf: (record: T) => string) {
    this.#nameOf = nameOf
  }

  async load(): Promise<T[]> {
    return [...this.records.values()].map((record) => structuredClone(record))
  }

  async save(record: T): Promise<void> {
    await Promise.resolve()
    if (this.failWith) throw this.failWith
    this.records.set(this.#nameOf(record), structuredClone(record))
  }

  async remove(name: string): Promise<void> {
    await Promise.resolve()
    if (this.failWith) throw this.failWith
    this.records.delete(name)
  }
}

export function memoryConfig(): ConfigStore {
  let config: DaemonConfig = { registry: {}, secrets: {}, otel: {}, allowedHosts: [], baseImages: {} }
  return {
    get: () => config,
    update: async (change) => {
      config = change(config)
    },
  }
}

export class MemoryJournal implements Journal {
  readonly entries: JournalEntry[] = []

  async append(entry: JournalEntry): Promise<void> {
    this.entries.push(entry)
  }
}

export class MemoryLogs implements LogStore {
  readonly lines = new Map<string, (LogLine | 'start')[]>()
  readonly #listeners = new Set<() => void>()

  append(name: string, stream: LogStream, text: string): void {
    this.#add(name, { time: new Date(0).toISOString(), stream, text })
  }

  begin(name: string): void {
    this.#add(name, 'start')
  }

  #add(name: string, entry: LogLine | 'start'): void {
    this.lines.set(name, [...(this.lines.get(name) ?? []), entry])
    for (const listener of this.#listeners) listener()
  }

  #linesOf(name: string): LogLine[] {
    return (this.lines.get(name) ?? []).filter((entry) => entry !== 'start')
  }

  async tail(name: string, count: number): Promise<string[]> {
    return (await this.read(name, { lines: count })).map(({ text }) => text)
  }

  async read(name: string, { lines, previous }: LogQuery): Promise<LogLine[]> {
    const all = this.lines.get(name) ?? []
    const end = all.lastIndexOf('start')
    const before = all.slice(0, Math.max(end, 0))
    const chosen = previous ? before.slice(before.lastIndexOf('start') + 1) : all
    return chosen.filter((entry) => entry !== 'start').slice(-lines)
  }

  async *follow(name: string, signal: AbortSignal): AsyncIterable<LogLine> {
    let seen = this.#linesOf(name).length
    while (!signal.aborted) {
      const all = this.#linesOf(name)
      yield* all.slice(seen)
      seen = all.length
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#listeners.add(resolve)
      signal.addEventListener('abort', () => resolve(), { once: true })
      await promise
      this.#listeners.delete(resolve)
    }
  }

  async remove(name: string): Promise<void> {
    for (const key of this.lines.keys()) if (key.toLowerCase() === name.toLowerCase()) this.lines.delete(key)
  }

  async names(): Promise<string[]> {
    return [...this.lines.keys()].map((name) => name.toLowerCase()).toSorted()
  }
}

const ALL = { can_read: true, can_write: true, can_delete: true, can_list: true, can_cleanup: true }
const NONE = { can_read: false, can_write: false, can_delete: false, can_list: false, can_cleanup: false }

export function memorySecrets(): SecretsProviders {
  const values = new Map<string, string>()
  const make = (type: SecretsProvider['type']): SecretsProvider => ({
    type,
    capabilities: type === 'encrypted' ? ALL : type === 'none' ? NONE : { ...NONE, can_read: true, can_list: true },
    get: async (key) => values.get(key),
    set: async (key, value) => void values.set(key, value),
    delete: async (key) => values.delete(key),
    list: async () => [...values.keys()].map((key) => ({ key })),
  })
  return {
    setUp: async (type, password) => {
      if (password === 'wrong') throw invalid('wrong password; nothing was changed')
      return { provider: make(type), message: `secrets provider ${type} is set up` }
    },
    open: async (type) => make(type),
  }
}

export function fixedRegistry(document: RegistryDocument): RegistrySource {
  return {
    read: async (location) => {
      if (location.type === 'default') return document
      throw invalid(`the registry cannot be read from ${location.type === 'url' ? location.url : location.path}`)
    },
    lastGood: async () => undefined,
  }
}

/** Remembers what each client's file would contain. */
export class MemoryClientFiles implements ClientFiles {
  readonly entries = new Map<string, ReadonlyMap<string, ClientEntry>>()
  readonly installed = new Set<string>(['Cursor'])

  async isInstalled(client: string): Promise<boolean> {
    return this.installed.has(client)
  }

  async sync(client: string, wanted: ReadonlyMap<string, ClientEntry>): Promise<ClientSyncResult> {
    if (!this.installed.has(client)) return { outcome: 'skipped', notes: [] }
    this.entries.set(client, new Map(wanted))
    return { outcome: 'written', notes: [] }
  }

  async preview(client: string, wanted: ReadonlyMap<string, ClientEntry>): Promise<ClientFilesPreview> {
    const entries = [...wanted].map(([name, { url }]) => {
      const change = this.entries.get(client)?.has(name) ? ('keep' as const) : ('add' as const)
      return { key: name, workload: name, change, fields: { url } }
    })
    const path = `/home/me/.${client.toLowerCase()}/mcp.json`
    const exists = this.entries.has(client)
    return {
      files: [{ path, exists, format: 'json', servers_key: 'mcpServers', entries, foreign: [], notes: [] }],
    }
  }
}

export const fakeHost: Host = {
  resolvePath: async (path) => {
    if (path === '/' || path.startsWith('/data')) return { path, kind: 'directory', identity: `1:${path}` }
    if (path === '/run/engine.sock') return { path, kind: 'socket', identity: '1:2' }
    return path === '/link-to-root' ? { path: '/', kind: 'directory', identity: '1:/' } : undefined
  },
  holdsHome: async ({ path }) => path === '/data/home',
  exposedBy: async ({ path, kind }) => {
    if (kind === 'socket') return 'a socket'
    return path === '/' || isStateOfFake(path) || '/data/toolhaven-state'.startsWith(`${path}/`)
      ? 'the root of the machine or a folder of Toolhaven'
      : undefined
  },
  linkOnTheWay: async () => undefined,
  gitPlaces: async (folder) => (folder.endsWith('/checkout') ? [`${folder}/.git`, `${folder}/vendor/lib/.git`] : []),
  isOwn: async ({ path }) => isStateOfFake(path),
  ownAddresses: () => ['198.51.44.7/24'],
  listFolders: async (path) => {
    if (path !== '') throw notFound(`there is no folder ${path}; choose another one`)
    return { path: '/home/me', folders: ['notes', 'website'] }
  },
  readConfigFile: async (path) => {
    if (path.startsWith('/')) throw invalid(`"${path}" is not a file below the configuration folder`)
    return path === 'token.txt' ? 'canary-of-a-file\n' : undefined
  },
  readTextFile: async (path) =>
    path === '/data/profile.json' ? '{"name":"mine","network":{"outbound":{}}}' : undefined,
}

const isStateOfFake = (path: string) => `${path}/`.startsWith('/data/toolhaven-state/')

export const fakePackages: PackageIndex = { latestVersion: async () => '1.2.3' }

export const fakeRecipe: RenderRecipe = async ({ scheme, name, version }, { caCertificate }) => ({
  tag: `toolhaven.local/${scheme}-${name}:${version}`,
  baseImage: 'base:1',
  dockerfile: 'FROM base:1\n',
  files: { 'package.json': '{}', ...(caCertificate !== undefined && { 'ca.pem': caCertificate }) },
})
