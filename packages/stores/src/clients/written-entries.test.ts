import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, extname, join } from 'node:path'
import { CLIENT_TYPES } from '@toolhaven/contract/client-types'
import type { ClientEntry } from '@toolhaven/core/ports/clients'
import { parse } from 'jsonc-parser'
import { parse as parseToml } from 'smol-toml'
import { parse as parseYaml } from 'yaml'
import { expect, onTestFinished, test } from 'vitest'
import { FIRST_CLIENT_FILES } from '../../test/support/first-client-files.ts'
import { JSON_CLIENT_FILES } from '../../test/support/json-client-files.ts'
import { OTHER_CLIENT_FILES } from '../../test/support/other-client-files.ts'
import { sample } from '@toolhaven/testing/rotation'
import { HTTP, SSE } from '../../test/support/written-file.ts'
import { createForeignEntries } from '../adopt/foreign-entries.ts'
import { createSerialQueue } from '../files/serial-queue.ts'
import { createClientFiles } from './client-files.ts'

const FILES = [...FIRST_CLIENT_FILES, ...JSON_CLIENT_FILES, ...OTHER_CLIENT_FILES]

test('there is a file of every client type', () => {
  expect(FILES.map(({ client }) => client).toSorted()).toEqual([...CLIENT_TYPES].toSorted())
})

test.each(sample(FILES, FILES.length / 3))(
  '$client: an entry is written, read back, adopted and undone byte for byte',
  async ({ client, file, key, text, http, sse }) => {
    const folder = await mkdtemp(join(tmpdir(), 'thv-written-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const path = join(folder, 'home', file)
    await mkdir(dirname(path), { recursive: true })
    await mkdir(join(folder, 'state'), { mode: 0o700 })
    await writeFile(path, text)
    const silent = { debug() {}, info() {}, warn() {}, error() {} }
    const homeDir = join(folder, 'home')
    const ownCommand = ['/opt/node', '/opt/thv.mjs']
    const places = { homeDir, platform: 'linux', inTurn: createSerialQueue(), ownCommand } as const
    const files = createClientFiles({ ...places, stateDir: join(folder, 'state'), logger: silent })
    const readers: Record<string, (content: string) => unknown> = {
      '.toml': (content) => parseToml(content),
      '.yaml': (content) => parseYaml(content),
    }
    const reader = readers[extname(file)] ?? ((content) => parse(content))
    const read = (content: string) => byName(Object(reader(content))[key])
    const servers = async () => read(await readFile(path, 'utf8'))
    const { own, ...rest } = read(text)
    const sync = (...entries: [string, ClientEntry][]) => files.sync(client, new Map(entries), new Map())

    await sync(['time', HTTP], ['fetch', SSE])
    expect(await servers()).toEqual({ ...rest, own, time: http, fetch: named('fetch', sse) })
    // The transport of one changes, and the other is gone.
    await sync(['time', SSE])
    expect(await servers()).toEqual({ ...rest, own, time: sse })
    await sync(['time', HTTP])
    expect(await servers()).toEqual({ ...rest, own, time: http })
    // The list of ours is lost: the entry is known by its shape.
    await rm(join(folder, 'state', 'client-entries.json'))
    await files.sync(client, new Map(), new Map([['time', HTTP]]))
    expect(await readFile(path, 'utf8')).toBe(text)

    const foreign = createForeignEntries(places)
    const { entries } = await foreign.list()
    const [entry] = entries.filter((each) => each.key === 'own')
    expect(entry).toMatchObject({ client, path, definition: { command: [own.command ?? own.cmd].flat()[0] } })
    const place = { client, path, key: 'own' }
    expect(await foreign.point(place, entry?.text ?? '', HTTP)).toBe('written')
    expect((await servers()).own).toMatchObject(
      named('own', { ...http, ...('description' in own && { description: own.description }) }),
    )
    expect(await foreign.restore(place, HTTP.url, entry?.text ?? '')).toBe('restored')
    expect(await readFile(path, 'utf8')).toBe(text)
  },
)

/** In a list, each entry has its name in it. */
const byName = (servers: unknown) =>
  Object(Array.isArray(servers) ? Object.fromEntries(servers.map((each) => [each.name, each])) : servers)

/** An entry of another name. */
const named = (name: string, entry: object) => ('name' in entry ? { ...entry, name } : entry)
