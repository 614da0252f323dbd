import { readlink } from 'node:fs/promises'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { until } from '@toolhaven/testing/testbed/until'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { type DaemonProcess, startDaemon } from './src/daemon-process.ts'
import type { Home } from './src/home.ts'
import { containersOf, processesOf, untilNothingIsLeft } from './src/instances.ts'
import { type McpConnection, callText, connectMcp } from './src/mcp-client.ts'
import { type Platform, usePlatform } from './src/platform.ts'
import { untilGone, untilRecovered, untilStatus } from './src/statuses.ts'

const NAME = 'apart'

describe.each([{ kind: 'process' }, { kind: 'docker' }] as const)('on $kind', ({ kind }) => {
  const platform = usePlatform(kind)

  test('each session has a server of its own, which ends with it', { timeout: 300_000 }, async (context) => {
    const here = platform(context)
    await using home = await here.makeHome()
    await using daemon = await startDaemon(home)
    const url = await startApart(daemon, here)
    const servers = () => countServers(here, home)
    expect(await servers()).toBe(1)

    await using one = await connectMcp(url)
    const two = await connectMcp(url)
    await using three = await connectMcp(url)
    for (const [at, client] of [one, two, three].entries()) await remember(client, at + 1)
    expect(await Promise.all([one, two, three].map(recall))).toEqual([1, 2, 3])
    expect(await servers()).toBe(3)
    await expect(connectMcp(url)).rejects.toThrow(/all 3 are taken.*limits\.max_sessions/)

    await leave(two)
    await until('the server of the client that left to be gone', async () => (await servers()) === 2, 60_000)
    await expect(callText(three, 'crash')).rejects.toThrow(/process ended/)
    await until('the server that crashed to be gone', async () => (await servers()) === 1, 60_000)
    await using four = await connectMcp(url)
    expect(await Promise.all([one, four].map(recall))).toEqual([1, 0])
    expect(await daemon.api.call('getWorkloadStatus', { params: { name: NAME } })).toEqual({ status: 'running' })

    await daemon.api.call('restartWorkload', { params: { name: NAME } })
    await until('its sessions to be over', () => callText(one, 'pid').then(() => false, isOver), 60_000)
    await untilStatus(daemon, NAME, 'running')
    expect(await servers()).toBe(1)
    await daemon.api.call('deleteWorkload', { params: { name: NAME } })
    await untilGone(daemon, NAME)
    await untilNothingIsLeft(here, home)
  })

  test('a daemon that is killed leaves none to the next', { timeout: 300_000 }, async (context) => {
    const here = platform(context)
    await using home = await here.makeHome()
    await using first = await startDaemon(home)
    const url = await startApart(first, here)
    await using one = await connectMcp(url)
    await using two = await connectMcp(url)
    await remember(one, 1)
    await remember(two, 2)
    await first.kill()

    await using second = await startDaemon(home)
    await untilRecovered(second, NAME)
    await until('one server to be left', async () => (await countServers(here, home)) === 1, 60_000)
    await expect(callText(one, 'pid')).rejects.toThrow(/Session not found/)
    await using again = await connectMcp(url)
    expect(await recall(again)).toBe(0)
    await using another = await connectMcp(url)
    expect(await recall(another)).toBe(0)
    expect(await second.stop()).toBe(0)
    await until('none to be left', async () => (await countServers(here, home)) === 0, 60_000)
  })
})

async function startApart(daemon: DaemonProcess, { fixture }: Platform): Promise<string> {
  await daemon.api.call('createWorkload', {
    body: { name: NAME, image: fixture, session_mode: 'isolated', limits: { max_sessions: 3 } },
  })
  await untilStatus(daemon, NAME, 'running')
  return (await daemon.api.call('getWorkload', { params: { name: NAME } })).url
}

/** Stores a number in the memory of the client's server. */
async function remember(client: McpConnection, times: number): Promise<void> {
  for (let time = 0; time < times; time += 1) await callText(client, 'sleep', { ms: 1 })
}

async function recall(client: McpConnection): Promise<number> {
  return z.object({ sleeping: z.number() }).parse(JSON.parse(await callText(client, 'stats'))).sleeping
}

/** Like a client that ends its session. */
async function leave({ client }: McpConnection): Promise<void> {
  const { transport } = client
  if (transport instanceof StreamableHTTPClientTransport) await transport.terminateSession()
  await client.close()
}

const isOver = (error: unknown) => String(error).includes('Session not found')

/** A sandbox has process ids of its own. */
async function countServers({ engine }: Platform, home: Home): Promise<number> {
  if (engine) return (await containersOf(engine)).length
  const spaceOf = (pid: number | 'self') => readlink(`/proc/${pid}/ns/pid`).catch(() => '')
  const spaces = new Set(await Promise.all((await processesOf(home)).map(spaceOf)))
  for (const known of ['', await spaceOf('self')]) spaces.delete(known)
  return spaces.size
}
