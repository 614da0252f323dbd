import { chown, mkdir, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { until } from '@toolhaven/testing/testbed/until'
import { type DaemonProcess, startDaemon } from './src/daemon-process.ts'
import type { Home } from './src/home.ts'
import { callText, connectMcp } from './src/mcp-client.ts'
import { platformsInTurn, usePlatform } from './src/platform.ts'
import { untilGone, untilRecovered, untilStatus } from './src/statuses.ts'

const SECRET = 'canary-of-the-hidden'

/** A project whose files everybody may read, because the server's user differs from runtime to runtime. */
async function makeProject(home: Home) {
  const root = join(home.dir, 'project')
  const write = async (name: string, text: string) => {
    await mkdir(dirname(join(root, name)), { recursive: true })
    await writeFile(join(root, name), text)
  }
  await write('.thvignore', '.env\nkeys/\n')
  for (const name of ['.env', 'keys/id', 'a.pem']) await write(name, SECRET)
  await write('sub/note', 'hello')
  const config = join(home.env['XDG_CONFIG_HOME'] ?? '', 'toolhaven')
  await mkdir(config, { recursive: true, mode: 0o700 })
  await writeFile(join(config, 'thvignore'), '*.pem\n')
  if (home.user) for (const path of [dirname(config), config]) await chown(path, home.user.uid, home.user.gid)
  return { root, write }
}

const logsOf = (daemon: DaemonProcess) => daemon.api.call('getWorkloadLogs', { params: { name: 'files' } })

async function read(daemon: DaemonProcess, path: string): Promise<string> {
  const { url } = await daemon.api.call('getWorkload', { params: { name: 'files' } })
  await using connection = await connectMcp(url)
  return await callText(connection, 'read', { path })
}

/** Once the daemon has noticed it, another server replaces this one and cannot see it. */
async function expectHiddenLater(daemon: DaemonProcess, path: string, host: string): Promise<void> {
  await until('the log to say so', async () => (await logsOf(daemon)).includes(`${host} appeared or changed`))
  await untilRecovered(daemon, 'files')
  expect(await read(daemon, path)).toBe('')
}

describe.each(platformsInTurn(import.meta.url))('hidden files on %s', (kind) => {
  const platform = usePlatform(kind)

  test('a server sees neither what ignore files name nor what comes later and is named by them', async (context) => {
    const here = platform(context)
    await using home = await here.makeHome()
    const { root, write } = await makeProject(home)
    await using daemon = await startDaemon(home)
    const body = { name: 'files', image: here.fixture, volumes: [`${root}:/p`], ignore_config: { printOverlays: true } }
    await daemon.api.call('createWorkload', { body })
    await untilStatus(daemon, 'files', 'running')

    for (const path of ['/p/.env', '/p/keys', '/p/a.pem', '/p/.thvignore']) expect(await read(daemon, path)).toBe('')
    expect(await read(daemon, '/p/sub/note')).toBe('hello')
    expect(await logsOf(daemon)).toContain(`Hidden from the server: /p/.env (file; ".env" in ${root}/.thvignore)`)

    // In one step, with all its content: a folder that is found before its file was written would not match.
    await mkdir(join(home.dir, 'apart'))
    await writeFile(join(home.dir, 'apart/.env'), SECRET)
    await rename(join(home.dir, 'apart'), join(root, 'sub/deep'))
    await expectHiddenLater(daemon, '/p/sub/deep/.env', join(root, 'sub/deep'))
    await write('new', SECRET)
    await rename(join(root, 'new'), join(root, '.env'))
    await expectHiddenLater(daemon, '/p/.env', join(root, '.env'))
    await write('keys/later', SECRET)
    expect(await read(daemon, '/p/keys')).toBe('')

    await daemon.api.call('deleteWorkload', { params: { name: 'files' } })
    await untilGone(daemon, 'files')
  })
})
