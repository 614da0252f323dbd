import { once } from 'node:events'
import type { Server } from 'node:http'
import { fc } from '@toolhaven/testing/properties'
import { BoundedServer } from '@toolhaven/gateway/bounded-server'
import { PlainServer } from '@toolhaven/gateway/plain-server'
import { compareServers } from '@toolhaven/gateway/testing/compare-servers'
import { type Conversation, madeConversation } from '@toolhaven/gateway/testing/made-requests'
import { tell } from '@toolhaven/gateway/testing/telling-server'
import * as z from 'zod'
import type { Json, Target } from '../target.ts'

export const httpReader: Target = {
  name: 'http-reader',
  about: "Our reader of HTTP requests against Node's, on the same bytes in the same pieces",
  async open() {
    const times = { keepAliveTimeout: 75_000 }
    const servers = [new BoundedServer(tell, times), new PlainServer(tell, times)] as const
    const ports = [await portOf(servers[0]), await portOf(servers[1])] as const
    return {
      // Several at a time: most of the time of each is spent waiting.
      inputs: fc.array(madeConversation, { minLength: 1, maxLength: 16, size: 'max' }),
      async check(input) {
        const statuses = await Promise.all(conversationsOf(input).map((each) => compare(ports, each)))
        return [...new Set(statuses.flat())].toSorted().join(', ')
      },
      async [Symbol.asyncDispose]() {
        for (const server of servers) {
          server.closeAllConnections()
          server.close()
        }
      },
    }
  },
}

/** The statuses of the answers. */
async function compare(ports: readonly [number, number], requests: Conversation): Promise<string[]> {
  const { expected, actual } = await compareServers(ports, requests)
  if (actual !== expected) throw new Error(`Node says ${JSON.stringify(expected)} and we say ${JSON.stringify(actual)}`)
  return [...actual.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status = '']) => status)
}

const conversations = z.array(z.array(z.array(z.string())))

const conversationsOf = (input: Json): Conversation[] => conversations.parse(input)

async function portOf(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a TCP listener has a port')
  return address.port
}
