import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { CLIENT_TYPES, type ClientType } from '@toolhaven/contract/client-types'
import { describeError, unavailable } from '@toolhaven/core/errors'
import type { EntryPlace, ForeignEntries, ForeignEntry } from '@toolhaven/core/ports/foreign-entries'
import { type ParseError, parse } from 'jsonc-parser'
import { CLIENT_PROGRAMS, type ClientPlatform, type ClientProgram, clientProgram } from '../clients/catalogue.ts'
import { copiesOf, readClientFile, replaceClientFile } from '../clients/client-file.ts'
import { CLIENT_FILES } from '../clients/client-files.ts'
import { entryFor } from '../clients/entry-form.ts'
import { skipTrivia } from '../clients/jsonc-text.ts'
import type { SerialQueue } from '../files/serial-queue.ts'
import { entryOfItem } from './item-text.ts'
import { entriesIn, pointedEntry, replaceEntry } from './entry-text.ts'
import { serverDefinition } from './server-definition.ts'
import { entryOfTable } from './table-text.ts'

export interface ForeignEntriesOptions {
  homeDir: string
  platform: ClientPlatform
  inTurn: SerialQueue
  /** How `thv` is started, for clients that only start commands. */
  ownCommand?: readonly string[]
}

const MAX_ATTEMPTS = 5

/** Entries in the files of client programs that Toolhaven did not write; see docs/decisions on adopted servers. */
export function createForeignEntries(options: ForeignEntriesOptions): ForeignEntries {
  const { homeDir, platform, inTurn, ownCommand = ['thv'] } = options
  const shapeOf = ({ client }: Pick<EntryPlace, 'client'>) => clientProgram(client, ownCommand)
  const pathsOf = (client: ClientType) => CLIENT_PROGRAMS[client].files[platform].map((file) => join(homeDir, file))
  return {
    async list() {
      const entries: ForeignEntry[] = []
      const faults: { client: ClientType; reason: string }[] = []
      for (const client of CLIENT_TYPES) {
        for (const path of pathsOf(client)) {
          try {
            entries.push(...(await entriesOf(client, path)))
          } catch (error) {
            faults.push({ client, reason: describeError(error) })
          }
        }
      }
      return { entries, faults }
    },
    read: (text) => serverDefinition('', valueOf(text)),
    point: (place, before, to) =>
      inTurn(CLIENT_FILES, () =>
        change(place, (text, found) => {
          if (found?.text !== before) return 'changed'
          return { text: replaceEntry(text, place, shapeOf(place), pointedEntry(text, place, shapeOf(place), to)) }
        }).then((outcome) => (outcome === 'done' ? 'written' : 'changed')),
      ),
    restore: (place, url, original) =>
      inTurn(CLIENT_FILES, () =>
        change(place, (text, found) => {
          if (found === undefined) return 'gone'
          if (found.text === original) return 'restored'
          const to = entryFor(shapeOf(place), { url, transport: url.endsWith('/sse') ? 'sse' : 'streamable-http' })
          if (found.definition.url !== to.url) return 'changed'
          return { text: replaceEntry(text, place, shapeOf(place), original) }
        }).then((outcome) => (outcome === 'done' ? 'restored' : outcome)),
      ),
    async copies(places) {
      const paths = new Set(places.flatMap(({ path }) => Object.values(copiesOf(path))))
      const found = await Promise.all([...paths].map(async (path) => ((await exists(path)) ? [path] : [])))
      return found.flat()
    },
  }
}

/** A table of TOML begins with its header, which may be indented and is never JSON. */
function valueOf(text: string): unknown {
  const errors: ParseError[] = []
  const value: unknown = parse(text, errors, { allowTrailingComma: true })
  if (errors.length === 0) return value
  return text.trimStart().startsWith('[') ? entryOfTable(text) : entryOfItem(text)
}

async function entriesOf(client: ClientType, path: string): Promise<ForeignEntry[]> {
  const { text } = await readClientFile(path)
  const shape: ClientProgram = CLIENT_PROGRAMS[client]
  if (text === null || (shape.format === undefined && skipTrivia(text, 0) === text.length)) return []
  return entriesIn(text, path, shape).map(({ key, text: raw, value }) => ({
    client,
    path,
    key,
    text: raw,
    definition: serverDefinition(key, value),
  }))
}

type Edit<Outcome> = (text: string, found: ForeignEntry | undefined) => Outcome | { text: string }

/** Reads, edits and replaces the file. Starts again if another program changed it in the meantime. */
async function change<Outcome extends string>(place: EntryPlace, edit: Edit<Outcome>): Promise<Outcome | 'done'> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const file = await readClientFile(place.path)
    const found = (await entriesOf(place.client, place.path)).findLast(({ key }) => key === place.key)
    const outcome = edit(file.text ?? '', found)
    if (typeof outcome === 'string') return outcome
    if (await replaceClientFile(file, outcome.text, { isFirst: false, keepCopies: false })) return 'done'
  }
  throw unavailable(`${place.path} is being changed by another program all the time: close it or try again later`)
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}
