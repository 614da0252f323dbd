import { stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { ClientType } from '@toolhaven/contract/client-types'
import { isThvError, unavailable } from '@toolhaven/core/errors'
import type { ClientEntry, ClientFiles, ClientFilesPreview, ClientSyncResult } from '@toolhaven/core/ports/clients'
import type { Logger } from '@toolhaven/core/ports/logger'
import { type SerialQueue, createSerialQueue } from '../files/serial-queue.ts'
import { type ClientPlatform, type ClientProgram, clientProgram } from './catalogue.ts'
import {
  type ClientFile,
  EMPTY_MS,
  readClientFile,
  removeClientFile,
  replaceClientFile,
  sweepLeftovers,
} from './client-file.ts'
import { createOwnedEntries, type OwnedEntries, type OwnedEntry, type OwnedFile } from './owned-entries.ts'
import { type EntriesPlan, planEntries, type PlanInput } from './plan-entries.ts'

export interface ClientFilesOptions {
  homeDir: string
  platform: ClientPlatform
  stateDir: string
  logger: Logger
  /** How `thv` is started, for clients that only start commands. */
  ownCommand?: readonly string[]
  /** Shared with other code that changes these files. */
  inTurn?: SerialQueue
}

const MAX_ATTEMPTS = 20
/** How long to wait for an editor that is still writing. */
const HALF_WRITTEN_MS = 200

/** One queue for all of them: two clients may share a file. */
export const CLIENT_FILES = 'client files'

/** Keeps our entries in the configuration files of AI client programs; see docs/decisions/0030-client-entries.md. */
export function createClientFiles(options: ClientFilesOptions): ClientFiles {
  const { homeDir, platform, stateDir, logger, inTurn = createSerialQueue(), ownCommand = ['thv'] } = options
  const ownedEntries = createOwnedEntries({ stateDir, logger })
  const swept = new Set<string>()
  const locate = (client: ClientType) => {
    const program = clientProgram(client, ownCommand)
    return { program, paths: program.files[platform].map((file) => join(homeDir, file)) }
  }
  const presentPaths = async (client: ClientType): Promise<string[]> => {
    const { program, paths } = locate(client)
    const signs = program.signs?.map((sign) => join(homeDir, sign))
    const isThere = await Promise.all(paths.map((path) => someExist(signs ?? [dirname(path)])))
    const present = paths.filter((_path, index) => isThere[index])
    if (program.hasAlternatives !== true) return present
    const made = await Promise.all(present.map((path) => someExist([path])))
    return made.includes(true) ? present.filter((_path, index) => made[index]) : present.slice(0, 1)
  }
  return {
    isInstalled: async (client) => (await presentPaths(client)).length > 0,
    sync: (client, wanted, known) =>
      inTurn(CLIENT_FILES, async () => {
        const { program } = locate(client)
        const results: ClientSyncResult[] = []
        for (const path of await presentPaths(client)) {
          if (!swept.has(path)) await sweepLeftovers(path)
          swept.add(path)
          results.push(await syncFile({ ownedEntries, client, program, path, wanted, known }))
        }
        const outcome = results.find((result) => result.outcome === 'written') ?? results[0]
        if (outcome?.outcome === 'written') logger.info('client file changed', { client })
        return {
          outcome: outcome?.outcome ?? 'skipped',
          notes: [...new Set(results.flatMap((result) => result.notes))],
        }
      }),
    preview: (client, wanted, known) =>
      inTurn(CLIENT_FILES, async () => {
        const { program, paths } = locate(client)
        const present = await presentPaths(client)
        const files: FilePreview[] = []
        // The first is where it would be created. A program that has moved its file also has the old place.
        for (const path of present.length > 0 ? present : paths.slice(0, 1)) {
          files.push(await previewFile({ ownedEntries, client, program, path, wanted, known }))
        }
        return { files, ...(program.reads && { reads: program.reads }) }
      }),
  }
}

type FilePreview = ClientFilesPreview['files'][number]

interface SyncInput {
  ownedEntries: OwnedEntries
  client: ClientType
  program: ClientProgram
  path: string
  wanted: ReadonlyMap<string, ClientEntry>
  known: ReadonlyMap<string, ClientEntry>
}

async function syncFile({ ownedEntries, client, program, path, wanted, known }: SyncInput): Promise<ClientSyncResult> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const owned = await ownedEntries.read(path)
    const isIdle = wanted.size === 0 && owned.entries.length === 0
    if (isIdle && known.size === 0) return { outcome: 'unchanged', notes: [] }
    const planned = await planFor({ client, program, owned, wanted, known }).catch((error: unknown) => {
      // If there is nothing to add or remove, even an unreadable file does not matter.
      if (isIdle && isThvError(error)) return undefined
      throw error
    })
    if (planned === undefined) return { outcome: 'unchanged', notes: [] }
    const { file, plan } = planned
    const after: OwnedFile = { path, entries: plan.entries, footprint: plan.entries.length === 0 ? {} : plan.footprint }
    if (plan.text === file.text) {
      if (JSON.stringify(after) !== JSON.stringify(owned)) await ownedEntries.write(after)
      return { outcome: 'unchanged', notes: plan.notes }
    }
    // Stored before the change, so that a crash in between neither orphans an entry nor makes us claim a foreign one.
    await ownedEntries.write(intentOf(owned, plan))
    if (await replace(file, plan)) {
      await ownedEntries.write(after)
      return { outcome: 'written', notes: plan.notes }
    }
  }
  throw unavailable(`${path} is being changed by another program all the time: close it or try again later`)
}

async function previewFile({ ownedEntries, path, ...input }: SyncInput): Promise<FilePreview> {
  const { program } = input
  const { format = 'json', serversKey: servers_key } = program
  const shown: Omit<FilePreview, 'exists'> = { path, format, servers_key, entries: [], foreign: [], notes: [] }
  try {
    const [owned, { text }] = await Promise.all([ownedEntries.read(path), readClientFile(path)])
    const { changes, foreign, notes } = planEntries({ ...input, owned, found: text })
    const entries = changes.map(({ name: workload, ...change }) => ({ workload, ...change }))
    return { ...shown, exists: text !== null, entries, foreign, notes }
  } catch (error) {
    if (!isThvError(error)) throw error
    return { ...shown, exists: true, problem: error.message }
  }
}

/** Editors empty a file before they write it, so a blank file is read again. */
async function readFilled(path: string): Promise<ClientFile> {
  for (const deadline = Date.now() + EMPTY_MS; ;) {
    const file = await readClientFile(path)
    if (file.text === null || file.text.trim() !== '' || Date.now() > deadline) return file
    await pause(HALF_WRITTEN_MS)
  }
}

/** Plans the changes of the file. An unreadable file is read once more, because an editor may be writing it. */
async function planFor(input: Omit<PlanInput, 'found'>): Promise<{ file: ClientFile; plan: EntriesPlan }> {
  const file = input.wanted.size === 0 ? await readClientFile(input.owned.path) : await readFilled(input.owned.path)
  try {
    return { file, plan: planEntries({ ...input, found: file.text }) }
  } catch (error) {
    await pause(HALF_WRITTEN_MS)
    const again = await readClientFile(input.owned.path)
    if (again.text === file.text) throw error
    return { file: again, plan: planEntries({ ...input, found: again.text }) }
  }
}

/** False if another program changed the file since it was read. Then everything starts again. */
async function replace(file: ClientFile, plan: EntriesPlan): Promise<boolean> {
  if (plan.text === null) return removeClientFile(file)
  return replaceClientFile(file, plan.text, { isFirst: !plan.hadOurs })
}

function intentOf(owned: OwnedFile, plan: EntriesPlan): OwnedFile {
  const entries = new Map(owned.entries.map((entry): [string, OwnedEntry] => [entry.key, entry]))
  for (const entry of plan.entries) {
    const old = entries.get(entry.key)
    const urls = new Set([...(old?.urls ?? []), ...entry.urls])
    entries.set(entry.key, { ...entry, type: old?.type ?? entry.type, urls: [...urls] })
  }
  return { path: owned.path, footprint: plan.footprint, entries: [...entries.values()] }
}

async function someExist(paths: readonly string[]): Promise<boolean> {
  for (const path of paths) {
    const found = await stat(path).catch(() => undefined) // an inaccessible path counts as absent
    if (found !== undefined) return true
  }
  return false
}
