import { chown, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runConfig } from '@toolhaven/contract/run-config'
import { workloadList } from '@toolhaven/contract/workloads'
import { sample } from '@toolhaven/testing/rotation'
import { rotationInside } from '@toolhaven/testing/turns'
import { startDaemon } from './src/daemon-process.ts'
import { containersOf, untilNothingIsLeft } from './src/instances.ts'
import { callText, connectMcp } from './src/mcp-client.ts'
import { type PlatformKind, usePlatform } from './src/platform.ts'
import { listNames } from './src/statuses.ts'
import { thv as runThv } from './src/thv.ts'

const KINDS: readonly PlatformKind[] = ['docker', 'podman']

describe.each(sample(KINDS, 1, rotationInside(import.meta.url)))('on %s', (kind) => {
  const platformOf = usePlatform(kind)

  test('a newcomer finds a server, runs it, connects a client, reads its log and cleans up', async (context) => {
    const platform = platformOf(context)
    const { engine } = platform
    if (!engine) throw new Error('this platform has an engine')
    await using home = await platform.makeHome()
    await using _daemon = await startDaemon(home)
    const thv = (...args: string[]) => runThv(home, args)
    await writeFile(join(home.dir, 'registry.json'), JSON.stringify(registryOf(platform.fixture)))
    const cursor = join(home.env['HOME'] ?? '', '.cursor')
    await mkdir(cursor)
    if (home.user) await chown(cursor, home.user.uid, home.user.gid)

    expect(await thv('runtime', 'check')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`Runtime  ${kind} `),
    })
    expect(await thv('config', 'set-registry', 'registry.json')).toMatchObject({ code: 0 })
    const found = await thv('search', 'adds')
    expect(found).toMatchObject({ code: 0, stderr: '' })
    expect(found.stdout).toMatch(/\nadder +image +stdio +Community .*Adds numbers/)

    const run = await thv('run', 'adder')
    expect(run, run.stderr).toMatchObject({ code: 0 })
    const [, url = ''] = /^adder is running at (http:\/\/127\.0\.0\.1:\d+\/mcp)\n$/.exec(run.stdout) ?? []
    {
      await using connection = await connectMcp(url)
      expect(await callText(connection, 'add', { a: 20, b: 22 })).toBe('42')
    }
    expect(await containersOf(engine)).toMatchObject([{ name: 'adder', state: 'running' }])
    expect((await thv('list')).stdout).toMatch(new RegExp(`\\nadder +running +default +${url} `))
    const logs = await thv('logs', 'adder')
    expect(logs, logs.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining('noise noise') })

    expect(await thv('client', 'register', 'cursor')).toMatchObject({ code: 0 })
    expect(await readFile(join(cursor, 'mcp.json'), 'utf8')).toContain(url)

    expect(await thv('stop', 'adder')).toEqual({ code: 0, stdout: 'adder is stopped\n', stderr: '' })
    expect((await containersOf(engine)).filter(({ state }) => state === 'running')).toEqual([])
    expect(await thv('restart', 'adder')).toEqual({ code: 0, stdout: 'adder is running\n', stderr: '' })
    {
      await using connection = await connectMcp(url)
      expect(await callText(connection, 'add', { a: 1, b: 2 })).toBe('3')
    }
    const exported = await thv('export', 'adder')
    expect(runConfig.parse(JSON.parse(exported.stdout))).toMatchObject({ name: 'adder', image: platform.fixture })

    expect(await thv('rm', 'adder')).toEqual({ code: 0, stdout: 'adder is removed\n', stderr: '' })
    const { stdout: left } = await thv('list', '--all', '--format', 'json')
    expect(workloadList.parse(JSON.parse(left)).workloads).toEqual([])
    expect(await readFile(join(cursor, 'mcp.json'), 'utf8').catch(() => '')).not.toContain(url)
    await untilNothingIsLeft(platform, home)
  })

  test('refuses the folders that are refused elsewhere, as a server and as volumes', async (context) => {
    const platform = platformOf(context)
    await using home = await platform.makeHome()
    await using daemon = await startDaemon(home)
    const thv = (...args: string[]) => runThv(home, args)
    await writeFile(join(home.dir, 'privileged.json'), '{"privileged": true}')
    const ofToolhaven = /would expose .*, a folder of Toolhaven itself/
    const refused = [
      ['/', /would expose the root of this machine/],
      ['/proc', /would expose/],
      [home.stateDir, ofToolhaven],
      [dirname(home.stateDir), ofToolhaven],
      [home.dir, ofToolhaven],
    ] as const
    const expectRefused = async (args: string[], why: RegExp) => {
      const { code, stderr } = await thv('run', ...args)
      expect(code, args.join(' ')).toBe(2)
      expect(stderr, args.join(' ')).toMatch(why)
    }
    for (const [folder, why] of refused) await expectRefused([platform.fixture, '-v', `${folder}:/x`], why)
    for (const [folder, why] of [...refused.slice(0, -1), ['~', /is your home folder or contains it/] as const])
      for (const flags of [[], ['--permission-profile', 'privileged.json']])
        await expectRefused(['--folder', folder, '--write', ...flags, '--', 'node', 'x'], why)
    expect(await listNames(daemon)).toEqual([])
  })

  test('says where a server in a folder of your own can run', async (context) => {
    const platform = platformOf(context)
    await using home = await platform.makeHome()
    await using daemon = await startDaemon(home)
    const folder = join(home.env['HOME'] ?? home.dir, 'own')
    await mkdir(folder)
    await writeFile(join(folder, 'server.js'), '')
    const { code, stderr } = await runThv(home, ['run', '--folder', folder, '--', 'node', 'server.js'])
    expect(code).not.toBe(0)
    expect(stderr).toContain(`runs in the sandbox only, and this daemon uses ${platform.kind}`)
    expect(stderr).toContain('THV_RUNTIME=process')
    expect(await listNames(daemon)).toEqual([])
  })
})

/** Of a server that has something to say in its log. */
function registryOf(image: string): object {
  const adder = {
    ...{ image, description: 'Adds numbers', tier: 'Community', status: 'active', transport: 'stdio', tools: ['add'] },
    args: ['--behaviour=chatty'],
  }
  return { version: '1.0.0', last_updated: '2026-01-15T00:00:00Z', servers: { adder }, remote_servers: {} }
}
