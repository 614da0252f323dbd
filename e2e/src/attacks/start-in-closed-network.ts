import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { TestContext } from 'vitest'
import { startDaemon } from '../daemon-process.ts'
import { type Home, makeHome } from '../home.ts'
import { type Answer, rawCall } from '../raw-call.ts'
import { socketOf } from '../socket-of.ts'
import type { Build } from './build.ts'

const PROGRAM = fileURLToPath(new URL('closed-network.ts', import.meta.url))

/** A daemon in a network of its own, reached through its unix socket. */
export interface ClosedNetwork extends AsyncDisposable {
  home: Home
  call: (method: string, path: string, body?: object) => Promise<Answer>
  /** Addresses that were connected to since the last call. */
  hits: () => Promise<string[]>
}

export async function startInClosedNetwork(build: Build, context: TestContext): Promise<ClosedNetwork> {
  await promisify(execFile)('unshare', ['--net', '--mount', 'true']).catch(() =>
    context.skip('network namespaces cannot be made here'),
  )
  await using cleanUp = new AsyncDisposableStack()
  const home = cleanUp.use(await makeHome({ env: { THV_RUNTIME: 'process' } }))
  cleanUp.use(await startDaemon(home, [], [PROGRAM, home.dir, ...build.program]))
  const socketPath = await socketOf(home)
  let seen = 0
  const kept = cleanUp.move()
  return {
    home,
    call: (method, path, body) =>
      rawCall({ socketPath }, `/api/v1beta${path}`, {
        method,
        headers: { host: 'localhost', ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
      }),
    hits: async () => {
      const all = (await readFile(join(home.dir, 'hits'), 'utf8').catch(() => '')).split('\n').filter(Boolean)
      const fresh = all.slice(seen)
      seen = all.length
      return fresh
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}
