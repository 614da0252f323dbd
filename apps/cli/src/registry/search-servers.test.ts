import { expect, test } from 'vitest'
import type { ImageServer } from '@toolhaven/contract/registry-document'
import { searchServers } from './search-servers.ts'

const server = (name: string, more: Partial<ImageServer> = {}): ImageServer => ({
  ...{
    name,
    image: `npx://${name}`,
    description: 'Does things',
    tier: 'Community',
    status: 'active',
    transport: 'stdio',
    tools: [],
  },
  ...more,
})
const all = [
  server('browser', { description: 'Reads pages and tells the time' }),
  server('clock', { tags: ['time'] }),
  server('time-zones'),
  server('time', { tools: ['convert'] }),
]
const remote = { ...server('time-far'), url: 'https://example.com/mcp', transport: 'sse' } as const
const found = (query: string) =>
  searchServers({ servers: all, remote_servers: [] }, query).servers.map(({ name }) => name)

test('the name counts more than a tag, and a tag more than the description', () => {
  expect(found('TIME')).toEqual(['time', 'time-zones', 'clock', 'browser'])
})

test('every word must be found somewhere', () => {
  expect(found('time convert')).toEqual(['time'])
  expect(found('time postgres')).toEqual([])
})

test('remote servers are searched too', () => {
  expect(searchServers({ servers: all, remote_servers: [remote] }, 'far')).toEqual({
    servers: [],
    remote_servers: [remote],
  })
})
