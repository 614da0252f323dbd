import { describe, expect, test } from 'vitest'
import { type FakeDaemon, startFakeDaemon } from '@toolhaven/fakes/fake-daemon'
import { settle } from '@toolhaven/fakes/manual-clock'
import { ApiError, createApiClient } from './client.ts'

function clientOf(fake: FakeDaemon, token?: string) {
  const requests: Request[] = []
  const api = createApiClient({
    baseUrl: 'http://127.0.0.1:8080',
    ...(token !== undefined && { token }),
    fetch: async (request) => {
      requests.push(request)
      return fake.app.fetch(request)
    },
  })
  return { api, requests }
}

describe('the typed client', () => {
  test('creates, reads, edits, stops and deletes a workload', async () => {
    using fake = await startFakeDaemon()
    const { api } = clientOf(fake)
    const { name, port } = await api.call('createWorkload', { body: { image: 'everything', tools: ['echo'] } })
    expect(name).toBe('everything')
    await settle()
    expect(await api.call('getWorkload', { params: { name } })).toMatchObject({
      status: 'running',
      port,
      tools: ['echo'],
    })
    expect(await api.call('editWorkload', { params: { name }, body: { tools: null } })).toEqual({ name, port })
    expect(await api.call('getWorkloadLogs', { params: { name } })).toBe('')
    expect(await api.call('stopWorkload', { params: { name } })).toBeUndefined()
    await settle()
    expect(await api.call('listWorkloads', { query: { group: 'default' } })).toEqual({ workloads: [] })
    expect((await api.call('listWorkloads', { query: { all: true } })).workloads).toHaveLength(1)
    expect(await api.call('deleteWorkloads', { body: { names: [name] } })).toBeUndefined()
    await settle()
    expect((await api.call('listWorkloads', { query: { all: true } })).workloads).toEqual([])
  })

  test('throws what the daemon said', async () => {
    using fake = await startFakeDaemon()
    const { api } = clientOf(fake)
    const failure = await api.call('getGroup', { params: { name: 'ghosts' } }).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(ApiError)
    expect(failure).toMatchObject({ status: 404, message: 'group ghosts not found; create it first' })
  })

  test('encodes names and leaves out queries that are undefined', async () => {
    using fake = await startFakeDaemon()
    const { api, requests } = clientOf(fake)
    expect(await api.call('getServer', { params: { name: 'default', serverName: 'com.example/docs' } })).toMatchObject({
      is_remote: true,
    })
    expect(requests[0]?.url).toBe('http://127.0.0.1:8080/api/v1beta/registry/default/servers/com.example%2Fdocs')
    await api.call('listWorkloads', { query: { all: undefined } })
    expect(requests[1]?.url).toBe('http://127.0.0.1:8080/api/v1beta/workloads')
  })

  test('sends its token, and JSON only where there is a body', async () => {
    using fake = await startFakeDaemon()
    const { api, requests } = clientOf(fake, 'a-token')
    await api.call('getVersion', {})
    await api.call('createGroup', { body: { name: 'x' } })
    expect(requests.map(({ headers }) => [headers.get('authorization'), headers.get('content-type')])).toEqual([
      ['Bearer a-token', null],
      ['Bearer a-token', 'application/json'],
    ])
  })

  test('opens a stream and ends it with the signal', async () => {
    using fake = await startFakeDaemon()
    const { api } = clientOf(fake)
    const leave = new AbortController()
    const response = await api.open('streamEvents', {}, leave.signal)
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    leave.abort()
    expect(await response.text()).toContain(': open')
  })
})
