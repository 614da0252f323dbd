import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SeenTools } from '@toolhaven/core/ports/gateway'
import {
  childServer,
  modernServer,
  startHttpServer,
  startModernServer,
} from '@toolhaven/testing/mcp-servers/child-channel'
import { runIsolated } from './test-isolated.ts'
import { NAME, never, startGateway, type TestGateway } from './test-gateway.ts'
import type { GatewayOptions } from './options.ts'

export const TOOL_BACKS = ['stdio', 'sse', 'streamable-http', 'modern stdio', 'modern http', 'isolated'] as const
export type ToolBack = (typeof TOOL_BACKS)[number]

export interface LockedGateway extends AsyncDisposable {
  test: TestGateway
  /** Every complete list the daemon was told of. */
  seen: SeenTools[]
  /** What its servers' definitions have besides, from now on; null leaves a tool out. */
  define: (changes: Readonly<Record<string, object | null>>) => Promise<void>
  /** Takes the newest list for the accepted one. */
  accept: () => void
  /** A new server takes the place of the former. */
  start: (back: ToolBack, args?: readonly string[]) => Promise<void>
}

/** A gateway that keeps a lock as the daemon does: the first list is the accepted one. */
export async function startLocked(
  mode: 'warn' | 'block',
  options: Partial<GatewayOptions> = {},
): Promise<LockedGateway> {
  const folder = await mkdtemp(join(tmpdir(), 'thv-tools-'))
  const file = join(folder, 'tools.json')
  const seen: SeenTools[] = []
  let accepted: ReadonlyMap<string, string> | undefined
  const hashes = (list: SeenTools | undefined) => new Map((list?.tools ?? []).map(({ name, hash }) => [name, hash]))
  const quiet = () => {}
  const test = await startGateway({
    // A busy machine must not make a server look like one of the older era.
    limits: { probeMs: 50_000 },
    events: {
      ...{ onBackendLost: quiet, onOutput: quiet, onLoginNeeded: quiet, onLoggedIn: quiet },
      onTools: (_name, list) => {
        seen.push(list)
        accepted ??= hashes(list)
      },
      acceptedTools: () => accepted,
    },
    ...options,
  })
  test.defer(() => rm(folder, { recursive: true }))
  const define: LockedGateway['define'] = (changes) => writeFile(file, JSON.stringify(changes))
  await define({})
  await test.open({ toolsChanged: mode })
  return {
    ...{ test, seen, define },
    accept: () => {
      accepted = hashes(seen.at(-1))
    },
    start: (back, args = []) => startServer(test, back, [`--tools-file=${file}`, ...args]),
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
