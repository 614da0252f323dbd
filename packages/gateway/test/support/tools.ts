import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SeenDefinitions } from '@toolhaven/core/ports/gateway'
import type { StoredToolLock } from '@toolhaven/core/ports/stores'
import { createMasker } from '@toolhaven/core/secrets/masker'
import { revisionOf, ToolLocks } from '@toolhaven/core/tools/tool-locks'
import { ManualClock } from '@toolhaven/fakes/manual-clock'
import { MemoryRecordStore, silentLogger } from '@toolhaven/fakes/memory-stores'
import {
  childServer,
  modernServer,
  startHttpServer,
  startModernServer,
} from '@toolhaven/testing/mcp-servers/child-channel'
import { runIsolated } from './isolated.ts'
import { NAME, never, startGateway, type TestGateway } from './gateway.ts'
import type { GatewayOptions } from '../../src/endpoint/options.ts'

export const TOOL_BACKS = ['stdio', 'sse', 'streamable-http', 'modern stdio', 'modern http', 'isolated'] as const
export type ToolBack = (typeof TOOL_BACKS)[number]

export interface LockedGateway extends AsyncDisposable {
  test: TestGateway
  /** Every complete list of tools that the daemon saw. */
  seen: SeenDefinitions[]
  locks: ToolLocks
  /** The reported differences, newest last. */
  differences: (string | undefined)[]
  /** What its servers' definitions contain in addition, from now on. Null removes a tool. */
  define: (changes: Readonly<Record<string, object | null>>) => Promise<void>
  /** What its servers offer besides tools, from now on. */
  offer: (offers: Offers) => Promise<void>
  /** Accepts what was seen. */
  accept: () => Promise<void>
  /** A new server replaces the former one. */
  start: (back: ToolBack, args?: readonly string[]) => Promise<void>
}

export interface Offers {
  instructions?: string | undefined
  prompts?: readonly { name: string; description?: string }[]
  templates?: readonly { name: string; uriTemplate: string; description?: string }[]
}

/** A gateway with the daemon's lock: what is seen first is accepted. */
export async function startLocked(
  mode: 'warn' | 'block',
  options: Partial<GatewayOptions> = {},
): Promise<LockedGateway> {
  const folder = await mkdtemp(join(tmpdir(), 'thv-tools-'))
  const file = join(folder, 'tools.json')
  const offersFile = join(folder, 'offers.json')
  const seen: SeenDefinitions[] = []
  const differences: (string | undefined)[] = []
  const locks = new ToolLocks({
    store: new MemoryRecordStore<StoredToolLock>(({ name }) => name),
    ...{ clock: new ManualClock(), masker: createMasker(), logger: silentLogger },
    onDifference: (_name, what) => void differences.push(what),
  })
  const quiet = () => {}
  const test = await startGateway({
    // A busy machine must not make a server look like one of the older era.
    limits: { probeMs: 50_000 },
    events: {
      ...{ onBackendLost: quiet, onOutput: quiet, onLoginNeeded: quiet, onLoggedIn: quiet },
      onDefinitions: (name, part, list) => {
        if (part === 'tool') seen.push(list)
        locks.seen(name, part, list)
      },
      acceptedHashes: (name, part) => locks.acceptedHashes(name, part),
    },
    ...options,
  })
  test.defer(() => rm(folder, { recursive: true }))
  const define: LockedGateway['define'] = (changes) => writeFile(file, JSON.stringify(changes))
  const offer: LockedGateway['offer'] = (offers) => writeFile(offersFile, JSON.stringify(offers))
  await define({})
  await offer({})
  await test.open({ toolsChanged: mode })
  return {
    ...{ test, seen, locks, differences, define, offer },
    accept: async () => {
      const lock = locks.of(NAME)
      await locks.accept(NAME, undefined, (lock && revisionOf(lock)) ?? '')
    },
    start: (back, args = []) =>
      startServer(test, back, [`--tools-file=${file}`, `--offers-file=${offersFile}`, ...args]),
    [Symbol.asyncDispose]: () => test[Symbol.asyncDispose](),
  }
}

let processes = 0

async function startServer(test: TestGateway, back: ToolBack, args: readonly string[]): Promise<void> {
  const processId = `tools-${++processes}`
  if (back === 'isolated') return void (await runIsolated(test, () => childServer(args)))
  if (back === 'stdio' || back === 'modern stdio') {
    const { channel, start, kill } = back === 'stdio' ? childServer(args) : modernServer(args)
    test.defer(kill)
    await test.gateway.connect(NAME, { kind: 'stdio', channel, processId, start }, never)
    return
  }
  const transport = back === 'sse' ? 'sse' : 'streamable-http'
  const server = await (back === 'modern http' ? startModernServer(args) : startHttpServer(transport, args))
  test.defer(server.kill)
  await test.gateway.connect(NAME, { kind: 'http', transport, url: server.url, processId }, never)
}
