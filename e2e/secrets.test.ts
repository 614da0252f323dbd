import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { routes } from '@toolhaven/contract/routes'
import { type DaemonProcess, startDaemon } from './src/daemon-process.ts'
import type { Home } from './src/home.ts'
import { callText, connectMcp } from './src/mcp-client.ts'
import { usePlatform } from './src/platform.ts'
import { untilStatus } from './src/statuses.ts'

const CANARY = 'canary-7f3a91c2-never-to-be-seen'

/** Answers of every route that only reads, with the names that this test created. */
async function everyAnswer({ baseUrl }: DaemonProcess): Promise<Map<string, string>> {
  const streams = new Set(['streamEvents', 'followLogs'])
  const paths = Object.entries(routes).filter(([id, { method }]) => method === 'GET' && !streams.has(id))
  const answers = new Map<string, string>()
  for (const [, { path }] of paths) {
    const values: Record<string, string> = {
      '/workloads/{name}': 'holder',
      '/groups/{name}': 'default',
      '/clients/{name}': 'Cursor',
    }
    const filled = path.replaceAll(/(\/[\w-]+)\/\{(\w+)\}/g, (_, parent: string, name: string) => {
      const value = values[`${parent}/{${name}}`] ?? (name === 'key' ? 'token' : 'default')
      return `${parent}/${value}`
    })
    const response = await fetch(baseUrl + filled + (path.endsWith('/workloads') ? '?all=true' : ''))
    answers.set(`${filled} ${response.status}`, await response.text())
  }
  return answers
}

/** Every file that the daemon keeps, except the encrypted store, which contains secrets on purpose. */
async function everyFile(home: Home): Promise<Map<string, string>> {
  const files = new Map<string, string>()
  for (const top of ['state', 'data', 'config', 'cache', 'run', 'home']) {
    const entries = await readdir(join(home.dir, top), { recursive: true, withFileTypes: true }).catch(() => [])
    for (const entry of entries.filter((each) => each.isFile())) {
      const path = join(entry.parentPath, entry.name)
      files.set(path, await readFile(path, 'latin1'))
    }
  }
  return files
}

const leaks = (texts: Map<string, string>) =>
  [...texts].filter(([, text]) => text.includes(CANARY)).map(([where]) => where)

describe.each([{ kind: 'process' }, { kind: 'docker' }] as const)('on $kind', ({ kind }) => {
  const platform = usePlatform(kind)

  test('a secret reaches the server it is meant for and is nowhere else to be seen', async (context) => {
    const here = platform(context)
    await using home = await here.makeHome()
    await using daemon = await startDaemon(home, ['--debug'])
    await daemon.api.call('setupSecrets', { body: { provider_type: 'encrypted' } })
    await daemon.api.call('createSecret', { body: { key: 'token', value: CANARY } })
    await daemon.api.call('createWorkload', {
      body: { name: 'holder', image: here.fixture, secrets: [{ name: 'token', target: 'API_TOKEN' }] },
    })
    await untilStatus(daemon, 'holder', 'running')
    const { url } = await daemon.api.call('getWorkload', { params: { name: 'holder' } })
    await using connection = await connectMcp(url)
    const env = z.record(z.string(), z.string()).parse(JSON.parse(await callText(connection, 'env')))
    expect(env['API_TOKEN']).toBe(CANARY)
    // A server that reveals its secret, in a requested name and in its own log.
    await connection.client.callTool({ name: CANARY, arguments: {} }).catch(() => undefined)
    await daemon.api.call('createWorkload', {
      body: {
        name: 'talker',
        image: here.fixture,
        cmd_arguments: ['--behaviour=crash-at-start'],
        secrets: [{ name: 'token', target: 'API_TOKEN' }],
      },
    })
    await untilStatus(daemon, 'talker', 'error')
    const refused: unknown = await daemon.api
      .call('createSecret', { body: { key: 'token', value: CANARY } })
      .catch((error: unknown) => error)
    expect(refused).toMatchObject({ status: 409 })

    const answers = await everyAnswer(daemon)
    expect(answers.size).toBeGreaterThan(15)
    expect([...answers.keys()].filter((line) => line.endsWith(' 200')).length).toBeGreaterThan(12)
    expect(leaks(answers)).toEqual([])
    expect(String(refused)).not.toContain(CANARY)
    expect(await daemon.stop()).toBe(0)
    const files = await everyFile(home)
    expect(
      [...files.keys()].filter((path) => /daemon\.log$|journal\.ndjson$|holder\.json$|holder\.log$/.test(path)).length,
    ).toBeGreaterThan(2)
    expect(leaks(files)).toEqual([])
    expect(daemon.output()).not.toContain(CANARY)
  })

  test('the key file opens the store for the next daemon, and the server gets its secret again', async (context) => {
    const here = platform(context)
    await using home = await here.makeHome()
    await using first = await startDaemon(home)
    await first.api.call('setupSecrets', { body: { provider_type: 'encrypted' } })
    await first.api.call('createSecret', { body: { key: 'token', value: CANARY } })
    await first.stop()
    await using second = await startDaemon(home)
    expect(await second.api.call('listSecrets', {})).toEqual({ keys: [{ key: 'token' }] })
    await second.api.call('createWorkload', {
      body: { name: 'later', image: here.fixture, secrets: [{ name: 'token', target: 'T' }] },
    })
    await untilStatus(second, 'later', 'running')
    const { url } = await second.api.call('getWorkload', { params: { name: 'later' } })
    await using connection = await connectMcp(url)
    expect(await callText(connection, 'env')).toContain(CANARY)
    await second.api.call('deleteWorkload', { params: { name: 'later' } })
  })
})
