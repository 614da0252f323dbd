import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { TestContext } from 'vitest'
import * as z from 'zod'
import type { Engine } from '@toolhaven/testing/testbed/engine'
import { engineMust } from '@toolhaven/testing/testbed/engine-http'
import { until } from '@toolhaven/testing/testbed/until'
import { FIXTURE_IMAGE } from '../fixture-image.ts'
import type { Platform } from '../platform.ts'

/** A network namespace in which every address answers and nothing leaves; see every-address.ts. */
export interface World extends AsyncDisposable {
  /** What arrived there. */
  seen: () => readonly string[]
}

/** Where a process finds the namespace, and the container whose it is on an engine. */
export const WORLD_PATH = join(tmpdir(), `thv-world-${process.pid}`)
export const WORLD_CONTAINER = 'thv-world'

const PROGRAM = fileURLToPath(new URL('every-address.ts', import.meta.url))

export async function openWorld({ engine }: Platform, context: TestContext): Promise<World> {
  if (process.getuid?.() !== 0) context.skip('a network where every address answers needs root')
  await using cleanUp = new AsyncDisposableStack()
  const namespace = engine && cleanUp.use(await openWorldContainer(engine))
  const [enter, ...how] =
    namespace === undefined
      ? (['unshare', '--net'] as const)
      : (['nsenter', `--net=/proc/${namespace.pid}/ns/net`] as const)
  const child = spawn(enter, [...how, '--', process.execPath, PROGRAM], { stdio: ['pipe', 'pipe', 'inherit'] })
  cleanUp.defer(async () => {
    child.stdin.end()
    if (child.exitCode === null) await once(child, 'exit')
  })
  let said = ''
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()))
  const isReady = () => {
    if (child.exitCode !== null) throw new Error('the network where every address answers could not be made')
    return said.includes('ready\n')
  }
  await until('the network to be ready', isReady)
  await symlink(`/proc/${child.pid}/ns/net`, WORLD_PATH)
  cleanUp.defer(() => rm(WORLD_PATH))
  const kept = cleanUp.move()
  return {
    seen: () => said.split('\n').filter((line) => line !== '' && line !== 'ready'),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

const inspected = z.looseObject({ State: z.looseObject({ Pid: z.int().positive() }) })

/** Without any network of the engine's; what is in its namespace is ours to say. */
export async function openWorldContainer({ socketPath }: Engine): Promise<{ pid: number } & AsyncDisposable> {
  const path = `/containers/${WORLD_CONTAINER}`
  const json = { Image: FIXTURE_IMAGE, OpenStdin: true, HostConfig: { NetworkMode: 'none' } }
  await engineMust(socketPath, 'POST', `/containers/create?name=${WORLD_CONTAINER}`, { json })
  await engineMust(socketPath, 'POST', `${path}/start`)
  const { State } = inspected.parse(JSON.parse(await engineMust(socketPath, 'GET', `${path}/json`)))
  return {
    pid: State.Pid,
    [Symbol.asyncDispose]: async () => void (await engineMust(socketPath, 'DELETE', `${path}?force=true`)),
  }
}
