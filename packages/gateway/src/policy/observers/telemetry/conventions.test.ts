import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { expect, it } from 'vitest'
import type { RpcRequest } from '../../../messages/json-rpc.ts'
import { Labels, PublicIds, spanAttributes } from './conventions.ts'

function requestOf(method: string, params?: RpcRequest['params']): RpcRequest {
  return { kind: 'request', id: 1, method, params, body: {}, text: '' }
}

const call = (name: string) => requestOf('tools/call', { name })
const toolLabel = (labels: Labels, name: string) => labels.of(call(name))['gen_ai.tool.name']

it('has a tool as a label once the server listed it or a call of it went well', () => {
  const labels = new Labels()
  expect(toolLabel(labels, 'echo')).toBe('_OTHER')
  labels.learn(call('echo'), { error: { code: -32_602, message: 'no such tool' } })
  labels.learn(call('echo'), { result: { isError: true } })
  expect(toolLabel(labels, 'echo')).toBe('_OTHER')
  labels.learn(call('echo'), { result: {} })
  labels.learn(requestOf('tools/list'), { result: { tools: [{ name: 'add' }, null, { name: 7 }] } })
  expect([toolLabel(labels, 'echo'), toolLabel(labels, 'add')]).toEqual(['echo', 'add'])
})

it('has no more labels than it may, even for a server that wants more', () => {
  const labels = new Labels()
  const names = Array.from({ length: 1_000 }, (_, i) => `tool-${i}`)
  labels.learn(requestOf('tools/list'), { result: { tools: names.map((name) => ({ name })) } })
  expect(new Set(names.map((name) => toolLabel(labels, name)))).toHaveProperty('size', 201)
  labels.learn(call('x'.repeat(1_000)), { result: {} })
  expect(toolLabel(labels, 'x'.repeat(1_000))).toBe('_OTHER')
  const codes = Array.from({ length: 1_000 }, (_, i) => labels.ofFailure(String(i))['error.type'])
  expect(new Set(codes)).toHaveProperty('size', 21)
  expect(labels.of(requestOf('made/up'))).toEqual({ 'mcp.method.name': '_OTHER' })
})

it.each([
  ['https://bob:secret@host/x?token=secret#secret', 'https://host/x'],
  [`https://bob:${'secret'.repeat(100)}@host/x`, 'https://host/x'],
])('leaves out of an address what may be secret: %s', (uri, shown) => {
  const asker = { session: undefined, id: 1, headers: () => ({}), from: new IncomingMessage(new Socket()) }
  const attributes = spanAttributes(requestOf('resources/read', { uri }), asker, new PublicIds())
  expect(attributes['mcp.resource.uri']).toBe(shown)
})
