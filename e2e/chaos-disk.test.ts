import { setTimeout as delay } from 'node:timers/promises'
import { execFile } from 'node:child_process'
import { mkdir, open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { ApiError } from '@toolhaven/contract/client'
import { type DaemonProcess, startDaemon } from './src/daemon-process.ts'
import type { Home } from './src/home.ts'
import { untilNothingIsLeft } from './src/instances.ts'
import { callText, connectMcp } from './src/mcp-client.ts'
import { usePlatform } from './src/platform.ts'
import { listNames, untilGone, untilStatus } from './src/statuses.ts'

const run = promisify(execFile)

/** Makes the state folder a small file system of its own. */
async function mountSmallState(home: Home): Promise<AsyncDisposable | undefined> {
  const folder = home.env['XDG_STATE_HOME'] ?? ''
  await mkdir(folder, { mode: 0o700 })
  const mounted = await run('mount', ['-t', 'tmpfs', '-o', 'size=2m,mode=700', 'tmpfs', folder]).catch(() => undefined)
  if (!mounted) return undefined
  return {
    async [Symbol.asyncDispose]() {
      await run('umount', [folder])
    },
  }
}

/** Takes all remaining space, to the last byte, and what is still given back after that by writes that were under way. */
async function fill(home: Home): Promise<string> {
  const path = join(home.env['XDG_STATE_HOME'] ?? '', 'ballast')
  while ((await takeSpace(path)) > 0) await delay(500)
  return path
}

async function takeSpace(path: string): Promise<number> {
  let taken = 0
  const file = await open(path, 'a')
  try {
    for (const size of [65_536, 4096, 1]) {
      const writes = () =>
        file.write(Buffer.alloc(size)).then(
          ({ bytesWritten }) => bytesWritten,
          () => 0,
        )
      for (let written = size; written === size; taken += written) written = await writes()
    }
  } finally {
    await file.close()
  }
  return taken
}

async function refusal(daemon: DaemonProcess, name: string, image: string): Promise<ApiError> {
  const error: unknown = await daemon.api
    .call('createWorkload', { body: { name, image } })
    .catch((fault: unknown) => fault)
  if (!(error instanceof ApiError)) throw new Error(`the create of ${name} was not refused`, { cause: error })
  return error
}

const platform = usePlatform('process')

test('on a full disk creates are refused in plain words, what runs goes on, and with space back everything works', async (context) => {
  const here = platform(context)
  if (process.getuid?.() !== 0) context.skip('mounting a small file system needs root')
  await using home = await here.makeHome()
  await using small = await mountSmallState(home)
  if (!small) return context.skip('this machine lets nobody mount a tmpfs')
  await using daemon = await startDaemon(home)
  await daemon.api.call('createWorkload', { body: { name: 'before', image: here.fixture } })
  await untilStatus(daemon, 'before', 'running')
  const { url } = await daemon.api.call('getWorkload', { params: { name: 'before' } })
  await using connection = await connectMcp(url)

  const ballast = await fill(home)
  const { status, message } = await refusal(daemon, 'full', here.fixture)
  expect(status).toBe(500)
  expect(message).toMatch(/disk|space/i)
  expect(await listNames(daemon)).toEqual(['before'])
  expect(await callText(connection, 'add', { a: 4, b: 4 })).toBe('8')
  // New clients can connect, although their sessions cannot be stored.
  await using newcomer = await connectMcp(url)
  expect(await callText(newcomer, 'add', { a: 5, b: 4 })).toBe('9')
  expect(await refusal(daemon, 'full', here.fixture)).toMatchObject({ status: 500 })
  const deleted = await daemon.api.call('deleteWorkload', { params: { name: 'before' } }).then(() => 'accepted', String)
  expect(deleted).toMatch(/^accepted$|disk|space/i)

  await rm(ballast)
  await daemon.api.call('createWorkload', { body: { name: 'after', image: here.fixture } })
  await untilStatus(daemon, 'after', 'running')
  const names = await listNames(daemon)
  await daemon.api.call('deleteWorkloads', { body: { names } })
  await untilGone(daemon, ...names)
  expect(await readdir(join(home.stateDir, 'workloads'))).toEqual([])
  await untilNothingIsLeft(here, home)
  await daemon.stop()
})
