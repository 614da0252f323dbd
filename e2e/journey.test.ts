import { describe, expect, test } from 'vitest'
import { startDaemon } from './src/daemon-process.ts'
import { freePort } from '@toolhaven/testing/free-port'
import { untilNothingIsLeft } from './src/instances.ts'
import { journey } from './src/journey.ts'
import { callText, connectMcp } from './src/mcp-client.ts'
import { platformsInTurn, usePlatform } from './src/platform.ts'
import { untilGone, untilStatus } from './src/statuses.ts'

describe.each(platformsInTurn(import.meta.url))('on %s', (kind) => {
  const platform = usePlatform(kind)

  test('a server of the built-in registry runs, is used, edited, stopped, restarted, exported, deleted and imported', async (context) => {
    const here = platform(context)
    // The package comes from where this machine gets its packages.
    await using home = await here.makeHome(kind === 'process' ? { npm_config_registry: '' } : {})
    await using daemon = await startDaemon(home)
    const { name: runtime } = await daemon.api.call('getRuntime', {})
    expect(runtime).toBe(kind)
    await journey(daemon, { image: 'everything' })
    await daemon.api.call('deleteWorkload', { params: { name: 'everything' } })
    await untilGone(daemon, 'everything')
    await untilNothingIsLeft(here, home)
  })

  test('our own server in three transports is reached by real clients in both proxy modes', async (context) => {
    const here = platform(context)
    await using home = await here.makeHome()
    await using daemon = await startDaemon(home)
    // A sandbox with a network shares the machine's ports, a container has its own.
    const host = kind === 'process' ? '127.0.0.1' : '0.0.0.0'
    const [events, streams] = [await freePort(), await freePort()]
    const workloads = [
      { name: 'pipe', transport: 'stdio', proxy_mode: 'streamable-http' },
      { name: 'pipe-sse', transport: 'stdio', proxy_mode: 'sse' },
      {
        name: 'events',
        transport: 'sse',
        target_port: events,
        cmd_arguments: ['--transport=sse', `--port=${events}`, `--host=${host}`],
      },
      {
        name: 'streams',
        transport: 'streamable-http',
        target_port: streams,
        cmd_arguments: ['--transport=streamable-http', `--port=${streams}`, `--host=${host}`],
      },
    ] as const
    await Promise.all(
      workloads.map((workload) => {
        const args = 'cmd_arguments' in workload ? [...workload.cmd_arguments] : []
        return daemon.api.call('createWorkload', { body: { ...workload, image: here.fixture, cmd_arguments: args } })
      }),
    )
    for (const { name } of workloads) await untilStatus(daemon, name, 'running')
    for (const { name } of workloads) {
      const { url, port } = await daemon.api.call('getWorkload', { params: { name } })
      expect(url).toBe(`http://127.0.0.1:${port}${name === 'events' || name === 'pipe-sse' ? '/sse' : '/mcp'}`)
      await using connection = await connectMcp(url)
      expect(await connection.toolNames()).toContain('add')
      expect(await callText(connection, 'add', { a: 20, b: 22 })).toBe('42')
      expect(await callText(connection, 'size', { text: 'x'.repeat(300_000) })).toBe('300000')
    }
    await daemon.api.call('deleteWorkloads', { body: { group: 'default' } })
    await untilGone(daemon, ...workloads.map(({ name }) => name))
    await untilNothingIsLeft(here, home)
  })
})
