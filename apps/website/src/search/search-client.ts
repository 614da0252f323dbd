import { createMemoryCache, type Host, type Requester } from '@algolia/client-common'
import { createXhrRequester } from '@algolia/requester-browser-xhr'
import { liteClient } from 'algoliasearch/lite'
import { createHostMemory } from './host-memory'

type LiteClient = ReturnType<typeof liteClient>
export type SearchClient = Pick<LiteClient, 'search' | 'getRecommendations' | 'customPost' | 'appId'>

export interface SearchClientOptions {
  appId: string
  apiKey: string
  /** None: the provider's own, with the fallback hosts shuffled. */
  hosts: ReadonlyArray<Omit<Host, 'accept'>>
  /** Where the health of the hosts is kept between page loads. */
  storage?: Storage | undefined
}

export const TIMEOUTS = { connect: 1000, read: 2000, write: 30_000 } as const
const MASK = '*****'

/**
 * The lite client of hosted search, with three things mended: failed hosts stay known for two minutes, the n-th attempt
 * of a call waits n times as long, and the key is nowhere but in the request itself.
 */
export function createSearchClient({ appId, apiKey, hosts, storage }: SearchClientOptions): SearchClient {
  if (appId === '') throw new Error('`appId` is missing.')
  if (apiKey === '') throw new Error('`apiKey` is missing.')
  const memory = createHostMemory(storage, `search-hosts-${appId}`)
  const base = {
    authMode: 'WithinQueryParameters',
    timeouts: TIMEOUTS,
    hostsCache: memory,
    responsesCache: createMemoryCache(),
    requestsCache: createMemoryCache({ serializable: false }),
  } as const
  const named: Host[] = hosts.map((host) => ({ ...host, accept: 'readWrite' }))
  const first = liteClient(appId, MASK, { ...base, ...(named.length > 0 ? { hosts: named } : {}) })
  const send = withKey(createXhrRequester(), apiKey)
  // A client for each call, so that its attempts can be counted; the memory and the caches are shared.
  const forCall = () =>
    liteClient(appId, MASK, {
      ...base,
      hosts: first.transporter.hosts,
      requester: withAttempts(send, memory.noteAnswer),
    })
  return {
    appId,
    search: (...args) => forCall().search(...args),
    getRecommendations: (...args) => forCall().getRecommendations(...args),
    customPost: (...args) => forCall().customPost(...args),
  }
}

/** The client only ever sees the mask, so that the key can stand in no log and no error; it goes in at the last moment. */
function withKey(requester: Requester, apiKey: string): Requester {
  const masked = `x-algolia-api-key=${encodeURIComponent(MASK)}`
  const real = `x-algolia-api-key=${encodeURIComponent(apiKey)}`
  return { send: (request) => requester.send({ ...request, url: request.url.replace(masked, () => real) }) }
}

/** The library multiplies timeouts by a number of its own; the n-th attempt is to wait n times the base. */
function withAttempts(requester: Requester, noteAnswer: (address: string) => void): Requester {
  let attempt = 0
  return {
    send: async (request) => {
      attempt += 1
      const response = request.responseTimeout / (request.connectTimeout / TIMEOUTS.connect)
      const answer = await requester.send({
        ...request,
        connectTimeout: attempt * TIMEOUTS.connect,
        responseTimeout: attempt * response,
      })
      if (answer.status >= 200 && answer.status < 500) noteAnswer(request.url)
      return answer
    },
  }
}
