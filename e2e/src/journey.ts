import { expect } from 'vitest'
import type { CreateRequest } from '@toolhaven/contract/workload-request'
import type { DaemonProcess } from './daemon-process.ts'
import { callText, connectMcp } from './mcp-client.ts'
import { untilGone, untilStatus } from './statuses.ts'

/** What a newcomer does with a server that has a tool `echo`, through the API alone and a real MCP client. */
export async function journey(daemon: DaemonProcess, body: CreateRequest): Promise<void> {
  const { name, port } = await daemon.api.call('createWorkload', { body })
  await untilStatus(daemon, name, 'running')
  const { url } = await daemon.api.call('getWorkload', { params: { name } })
  expect(url).toBe(`http://127.0.0.1:${port}/mcp`)
  await using connection = await connectMcp(url)
  expect(await connection.toolNames()).toContain('echo')

  await daemon.api.call('editWorkload', { params: { name }, body: { tools: ['echo'] } })
  await untilStatus(daemon, name, 'running')
  // The same client session continues after the restart.
  expect(await connection.toolNames()).toEqual(['echo'])

  await daemon.api.call('stopWorkload', { params: { name } })
  await untilStatus(daemon, name, 'stopped')
  await daemon.api.call('restartWorkload', { params: { name } })
  await untilStatus(daemon, name, 'running')
  await using again = await connectMcp(url)
  expect(await callText(again, 'echo', { message: 'here' })).toBe('Echo: here')
  expect(await daemon.api.call('getWorkloadLogs', { params: { name } })).not.toBe('')

  const exported = await daemon.api.call('exportWorkload', { params: { name } })
  await daemon.api.call('deleteWorkload', { params: { name } })
  await untilGone(daemon, name)
  await daemon.api.call('importWorkload', { body: exported })
  await untilStatus(daemon, name, 'running')
  expect(await daemon.api.call('exportWorkload', { params: { name } })).toEqual(exported)
}
