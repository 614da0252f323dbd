import { setImmediate } from 'node:timers/promises'
import { parseOutside } from '@toolhaven/contract/parse-outside'
import type { ImageServer, RemoteServer } from '@toolhaven/contract/registry-document'
import { serverJson } from '@toolhaven/contract/server-json'
import { excerpt } from '@toolhaven/contract/visible-text'
import { invalid, isThvError } from '@toolhaven/core/errors'
import type { LeftOut, RegistryContent } from '@toolhaven/core/ports/registry-source'
import { entryOfServer } from '@toolhaven/core/registry/entry-of-server'
import { compareVersions } from '@toolhaven/core/upgrades/compare-versions'
import * as z from 'zod'

/** Processing tens of thousands of servers takes seconds, so pauses let the gateway answer. */
const AT_ONCE = 100

const official = z.object({
  status: z.string().nullish(),
  isLatest: z.boolean().nullish(),
  publishedAt: z.string().nullish(),
  updatedAt: z.string().nullish(),
})
const listedServer = z.object({
  server: z.looseObject({ name: z.string().max(200), version: z.string().max(255).nullish() }),
  _meta: z.looseObject({ 'io.modelcontextprotocol.registry/official': official.nullish() }).nullish(),
})

interface Listed {
  name: string
  version: string
  server: unknown
  said: z.infer<typeof official>
}

/** The latest version of each server in an MCP registry that can run here, and the reasons why others cannot. */
export async function collectServers(
  all: readonly unknown[],
  { list, now }: { list: URL; now: number },
): Promise<RegistryContent> {
  const leftOut: LeftOut[] = []
  const latest = new Map<string, Listed>()
  for (const [at, item] of all.entries()) {
    const listed = readListed(item)
    if (!listed) leftOut.push({ name: `entry ${at + 1}`, reason: 'it has no name, or the wrong format' })
    else if (isNewer(listed, latest.get(listed.name))) latest.set(listed.name, listed)
  }
  const servers: [string, ImageServer][] = []
  const remotes: [string, RemoteServer][] = []
  for (const [at, { name, version, server, said }] of [...latest.values()].entries()) {
    if (at % AT_ONCE === 0) await setImmediate()
    if (said.status === 'deleted') continue
    try {
      const entry = entryOf(server, { status: said.status ?? undefined, source: addressOf(list, name, version) })
      if ('url' in entry) remotes.push([name, entry])
      else servers.push([name, entry])
    } catch (error) {
      if (!isThvError(error)) throw error
      leftOut.push({ name: excerpt(name, 200), reason: error.message })
    }
  }
  return {
    version: 'v0.1',
    last_updated: newestTime([...latest.values()]) ?? timeText(now),
    servers: Object.fromEntries(servers),
    remote_servers: Object.fromEntries(remotes),
    leftOut,
  }
}

function readListed(item: unknown): Listed | undefined {
  const { data } = listedServer.safeParse(item)
  if (!data) return undefined
  const { server, _meta: meta } = data
  const said = meta?.['io.modelcontextprotocol.registry/official'] ?? {}
  return { name: server.name, version: server.version ?? '', server, said }
}

/** A withdrawn version also hides older ones, which may have the fault that it was withdrawn for. */
function isNewer(listed: Listed, than: Listed | undefined): boolean {
  if (!than) return true
  const [a, b] = [listed.said, than.said]
  if (a.isLatest !== b.isLatest && (a.isLatest || b.isLatest)) return a.isLatest === true
  const [at, before] = [a, b].map(({ publishedAt }) => Date.parse(publishedAt ?? ''))
  if (at !== undefined && before !== undefined && at !== before && !Number.isNaN(at - before)) return at > before
  return compareVersions('npx', listed.version, than.version) > 0
}

function entryOf(server: unknown, facts: { status: string | undefined; source: string }) {
  const read = parseOutside(serverJson, server)
  if (read.success) return entryOfServer(read.data, facts)
  const [issue] = read.error.issues
  throw invalid(excerpt(`${issue?.path.map(String).join('.') ?? ''}: ${issue?.message ?? 'is wrong'}`, 200))
}

/** The URL of this version in the registry. */
function addressOf(list: URL, name: string, version: string): string {
  const part = (text: string) => encodeURIComponent(text.toWellFormed())
  return `${list.origin}${list.pathname}/${part(name)}/versions/${part(version || 'latest')}`
}

function newestTime(all: readonly Listed[]): string | undefined {
  const times = all.flatMap(({ said: { updatedAt, publishedAt } }) =>
    [updatedAt, publishedAt].map((time) => Date.parse(time ?? '')),
  )
  const newest = times.reduce((latest, time) => (time > latest ? time : latest), -Infinity)
  return newest === -Infinity ? undefined : timeText(newest)
}

const timeText = (time: number) => new Date(time).toISOString().replace(/\.\d+Z$/, 'Z')
