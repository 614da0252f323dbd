import { expect, test } from 'vitest'
import { fc } from '@toolhaven/testing/properties'
import { compareServers } from '../../../test/support/compare-servers.ts'
import { type Conversation, madeConversation } from '../../../test/support/made-requests.ts'
import { addressOf, openServer, type Kind } from '../../../test/support/servers.ts'
import { BoundedServer } from './bounded-server.ts'
import { PlainServer } from './plain-server.ts'

const openBoth = async () => [await portOf(BoundedServer), await portOf(PlainServer)] as const

test('says the same as Node, byte for byte, whatever comes', { timeout: 120_000 }, async () => {
  const ports = await openBoth()
  let plain = 0
  const compare = async (requests: Conversation): Promise<void> => {
    const { actual, expected } = await compareServers(ports, requests)
    expect(actual).toBe(expected)
    plain += (actual.match(/"method":"POST"/g) ?? []).length
  }
  await fc.assert(
    fc.asyncProperty(fc.array(madeConversation, { minLength: 16, maxLength: 16 }), async (conversations) => {
      await Promise.all(conversations.map((requests) => compare(requests)))
    }),
    { numRuns: 25 },
  )
  // Otherwise they would agree about nothing but refusals.
  expect(plain).toBeGreaterThan(200)
})

test.each(['Set-Cookie: a=b', 'Proxy-Connection: close', 'Proxy-Connection: keep-alive'])(
  'says the same as Node to %s',
  async (line) => {
    const request = `POST / HTTP/1.1\r\nhost: here\r\n${line}\r\ncontent-length: 2\r\n\r\nab`
    const { actual, expected } = await compareServers(await openBoth(), [[request], [request]])
    expect(actual).toBe(expected)
  },
)

async function portOf(Kind: Kind): Promise<number> {
  const server = await openServer(Kind, { times: { keepAliveTimeout: 75_000 } })
  return addressOf(server).port
}
