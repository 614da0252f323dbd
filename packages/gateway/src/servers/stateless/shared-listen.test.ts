import { expect, it, vi } from 'vitest'
import type { JsonObject } from '../../messages/json-rpc.ts'
import type { ServerReply, ServerRequest, ServerRequests } from './requests.ts'
import { SharedListen } from './shared-listen.ts'

interface Asked extends ServerReply {
  request: ServerRequest
  isCancelled: boolean
}

/** A server whose messages the test sends. */
function server() {
  const asked: Asked[] = []
  const requests: ServerRequests = {
    takesHeaders: false,
    send(request, reply) {
      const one = { ...reply, request, isCancelled: false }
      asked.push(one)
      return () => {
        one.isCancelled = true
      }
    },
    stop: () => {},
  }
  const heard: string[] = []
  const capabilities = { tools: { listChanged: true }, resources: { subscribe: true } }
  const listen = new SharedListen({ requests, capabilities, onNotification: ({ text }) => heard.push(text) })
  const tell = (at: number, method: string, params: JsonObject) => {
    const body = { jsonrpc: '2.0', method, params }
    asked[at]?.onNotification({ kind: 'notification', method, params, body, text: JSON.stringify(body) })
  }
  const acknowledge = (at: number, ...resourceSubscriptions: string[]) =>
    tell(at, 'notifications/subscriptions/acknowledged', { notifications: { resourceSubscriptions } })
  const touch = (at: number, uri: string) =>
    tell(at, 'notifications/resources/updated', { uri, _meta: { 'io.modelcontextprotocol/subscriptionId': at } })
  return { asked, listen, heard, acknowledge, touch }
}

it('says what the server agreed to, and tells of it without the mark of the subscription', async () => {
  const { listen, acknowledge, touch, heard } = server()
  const granted = listen.want(new Set(['a', 'b']))
  acknowledge(0, 'a')
  expect([...(await granted)]).toEqual(['a'])
  touch(0, 'a')
  expect(heard).toEqual(['{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"a"}}'])
})

it('is asked for once while the same is wanted', () => {
  const { listen, asked } = server()
  void listen.want(new Set(['a']))
  void listen.want(new Set(['a']))
  expect(asked).toHaveLength(1)
})

it('is replaced when the new one is acknowledged, in whatever order; nothing is heard twice', async () => {
  const { listen, asked, acknowledge, touch, heard } = server()
  void listen.want(new Set())
  acknowledge(0)
  void listen.want(new Set(['a']))
  void listen.want(new Set(['a', 'b']))
  expect(asked.map(({ isCancelled }) => isCancelled)).toEqual([false, false, false])
  acknowledge(2, 'a', 'b')
  expect(asked.map(({ isCancelled }) => isCancelled)).toEqual([true, true, false])
  for (const at of [0, 1, 2]) touch(at, 'a')
  expect(heard).toHaveLength(1)
})

it('stays when the server refuses the new one', async () => {
  const { listen, asked, acknowledge, touch, heard } = server()
  void listen.want(new Set(['a']))
  acknowledge(0, 'a')
  const granted = listen.want(new Set(['a', 'b']))
  asked[1]?.onAnswer({ jsonrpc: '2.0', error: { code: -32_603, message: 'too many' } })
  expect((await granted).size).toBe(0)
  touch(0, 'a')
  expect(heard).toHaveLength(1)
  expect(asked).toHaveLength(2)
})

it('is opened again when the server closed it, unless nobody wants it any more', () => {
  vi.useFakeTimers()
  try {
    const { listen, asked, acknowledge } = server()
    void listen.want(new Set(['a']))
    acknowledge(0, 'a')
    asked[0]?.onLost(new Error('closed'))
    vi.advanceTimersByTime(60_000)
    expect(asked).toHaveLength(2)
    asked[1]?.onAnswer({ jsonrpc: '2.0', result: { resultType: 'complete' } })
    listen.close()
    vi.advanceTimersByTime(60_000)
    expect(asked).toHaveLength(2)
  } finally {
    vi.useRealTimers()
  }
})
