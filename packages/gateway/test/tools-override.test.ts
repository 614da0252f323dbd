import { describeError } from '@toolhaven/core/errors'
import type { EndpointSpec } from '@toolhaven/core/ports/gateway'
import { describe, expect, it } from 'vitest'
import { CLIENTS, connectClient, startGateway } from './support/gateway.ts'

it.each(CLIENTS)('a client of the kind %s sees and calls tools by their given names', async (kind) => {
  await using test = await startGateway()
  await test.open({ toolsOverride: { echo: { name: 'say', description: 'says it' }, add: { description: 'sums up' } } })
  await test.run()
  const client = await connectClient(test, kind)
  const names = await client.tools()
  expect(names).toContain('say')
  expect(names).toContain('add')
  expect(names).not.toContain('echo')
  expect(await client.call('say', { text: 'hi' })).toBe('hi')
  expect(await client.call('add', { a: 1, b: 2 })).toBe('3')
  await expect(client.call('echo', { text: 'hi' })).rejects.toThrow('Unknown tool: echo')
})

it('shows the given descriptions', async () => {
  await using test = await startGateway()
  await test.open({ toolsOverride: { echo: { name: 'say', description: 'says it' } } })
  await test.run()
  const { v1 } = await connectClient(test, 'v1 http')
  const tools = (await v1?.listTools())?.tools ?? []
  expect(tools.find(({ name }) => name === 'say')?.description).toBe('says it')
  expect(tools.find(({ name }) => name === 'add')?.description).toBe('the add tool')
})

it('names may be swapped, and one that is taken hides the tool that had it', async () => {
  await using test = await startGateway()
  await test.open({ toolsOverride: { echo: { name: 'add' }, add: { name: 'echo' }, size: { name: 'pid' } } })
  await test.run()
  const client = await connectClient(test, 'v1 http')
  expect(await client.call('add', { text: 'hi' })).toBe('hi')
  expect(await client.call('echo', { a: 1, b: 2 })).toBe('3')
  expect(await client.call('pid', { text: 'four' })).toBe('4')
  const names = await client.tools()
  expect(names.filter((name) => name === 'pid')).toHaveLength(1)
})

it('the filter goes by the names of the server', async () => {
  await using test = await startGateway()
  await test.open({ toolsOverride: { echo: { name: 'say' } }, toolsFilter: ['echo', 'add'] })
  await test.run()
  const client = await connectClient(test, 'v1 http')
  expect((await client.tools()).toSorted()).toEqual(['add', 'say'])
  expect(await client.call('say', { text: 'hi' })).toBe('hi')
  await expect(client.call('pid')).rejects.toThrow('Unknown tool: pid')
})

describe('a refusal names the tool as its client knows it', () => {
  const toolsOverride = { echo: { name: 'say' }, add: { name: 'pid' } }
  const messageOf = async (spec: Partial<EndpointSpec>, name: string) => {
    await using test = await startGateway()
    await test.open({ toolsOverride, ...spec })
    await test.run()
    const client = await connectClient(test, 'v1 http')
    return await client.call(name, { text: 'hi' }).then(String, (error: unknown) => describeError(error))
  }

  it('by a policy', async () => {
    const authorization = { policies: ['permit(principal, action, resource) unless { resource == Tool::"echo" };'] }
    const message = await messageOf({ authorization }, 'say')
    expect(message).toContain('do not allow you to call the tool say.')
    expect(message).not.toContain('echo')
  })

  it('by the filter', async () => {
    const message = await messageOf({ toolsFilter: ['size'] }, 'pid')
    expect(message).toContain('Unknown tool: pid.')
    expect(message).not.toContain('add')
  })
})
