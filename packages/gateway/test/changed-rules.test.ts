import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import type { EndpointSpec } from '@toolhaven/core/ports/gateway'
import { expect, it } from 'vitest'
import { connectClient, startGateway, type TestGateway } from './support/gateway.ts'
import { modernRequest } from './support/modern-post.ts'

it('a change that fails changes nothing', async () => {
  await using test = await startGateway()
  const spec = { toolsFilter: ['echo'] }
  await test.open(spec)
  await test.run()
  const client = await connectClient(test, 'v1 http')
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const address = taken.address()
  if (address === null || typeof address === 'string') throw new Error('a TCP listener has a port')
  await expect(test.open({ toolsFilter: [], port: address.port })).rejects.toMatchObject({ code: 'conflict' })
  taken.close()
  await expect(client.call('add', { a: 1, b: 2 })).rejects.toThrow('add')
  await test.open(spec)
  await expect(client.call('add', { a: 1, b: 2 })).rejects.toThrow('add')
  expect(await client.call('echo', { text: 'still here' })).toBe('still here')
})

/** The answer to a call whose second half arrives after `meanwhile`. */
async function callInTwo(test: TestGateway, meanwhile: () => Promise<void>, more: Record<string, string> = {}) {
  const { headers, body } = modernRequest('tools/call', { name: 'echo', arguments: { text: 'done' } })
  const all = { host: `127.0.0.1:${test.port}`, ...headers, ...more, 'content-length': String(body.length) }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  const socket = connect(test.port, '127.0.0.1')
  socket.write(`POST /mcp HTTP/1.1\r\n${lines.join('')}connection: close\r\n\r\n${body.slice(0, 20)}`)
  // Until its head has been judged, because a later connection has been.
  for (let i = 0; i < 5; i++) await (await fetch(`${test.origin}/health`)).text()
  await meanwhile()
  socket.write(body.slice(20))
  let answer = ''
  for await (const chunk of socket) answer += String(chunk)
  return answer
}

const AUTHENTICATION: Partial<EndpointSpec> = {
  authentication: { introspectionUrl: 'https://provider.example/introspect', audience: 'x' },
}
const identityFetch = () => async () => Response.json({ active: true, sub: 'mallory', aud: 'x' })

it('who came before callers were asked for a token is not taken for one who was', async () => {
  await using test = await startGateway({ identityFetch })
  await test.open()
  await test.run()
  expect(await callInTwo(test, async () => {})).toContain('done')
  const answer = await callInTwo(test, () => test.open(AUTHENTICATION))
  expect(answer).toMatch(/^HTTP\/1.1 503/)
  expect(answer).not.toContain('done')
})

it('who is forbidden stays so while the rules change', async () => {
  await using test = await startGateway({ identityFetch })
  const policies = ['permit(principal, action, resource);', 'forbid(principal == User::"mallory", action, resource);']
  const spec = { ...AUTHENTICATION, authorization: { policies } }
  await test.open(spec)
  await test.run()
  const token = { authorization: 'Bearer abc' }
  expect(await callInTwo(test, async () => {}, token)).toContain('-32003')
  const changed = () => test.open({ ...spec, limits: { requestsPerMinute: 1000 } })
  expect(await callInTwo(test, changed, token)).not.toContain('done')
})
