import { expect, test } from 'vitest'
import { makeHome, startDaemon, untilGone, untilStatus } from './src/daemon-process.ts'
import { connectMcp } from './src/mcp-client.ts'

test('with no container engine, a server of the built-in registry runs, is used, edited, stopped, restarted, exported and deleted', async () => {
  await using home = await makeHome({ THV_RUNTIME: 'process' })
  await using daemon = await startDaemon(home)
  const { name, port } = await daemon.api.call('createWorkload', { body: { image: 'everything' } })
  await untilStatus(daemon, name, 'running')
  const { url } = await daemon.api.call('getWorkload', { params: { name } })
  expect(url).toBe(`http://127.0.0.1:${port}/mcp`)
  await using connection = await connectMcp(url)
  expect(await connection.toolNames()).toContain('echo')

  await daemon.api.call('editWorkload', { params: { name }, body: { tools: ['echo'] } })
  await untilStatus(daemon, name, 'running')
  // The same client session goes on over the restart.
  expect(await connection.toolNames()).toEqual(['echo'])

  await daemon.api.call('stopWorkload', { params: { name } })
  await untilStatus(daemon, name, 'stopped')
  await daemon.api.call('restartWorkload', { params: { name } })
  await untilStatus(daemon, name, 'running')
  await using again = await connectMcp(url)
  expect(await again.client.callTool({ name: 'echo', arguments: { message: 'here' } })).toMatchObject({
    content: [{ type: 'text', text: 'Echo: here' }],
  })

  const exported = await daemon.api.call('exportWorkload', { params: { name } })
  await daemon.api.call('deleteWorkload', { params: { name } })
  await untilGone(daemon, name)
  await daemon.api.call('importWorkload', { body: exported })
  await untilStatus(daemon, name, 'running')
  expect(await daemon.api.call('exportWorkload', { params: { name } })).toEqual(exported)
})
