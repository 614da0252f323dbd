import { once } from 'node:events'
import { createServer } from 'node:http'
import { Readable } from 'node:stream'
import { liteClient } from 'algoliasearch/lite'
import { describe, expect, it } from 'vitest'
import { fc } from '@toolhaven/testing/properties'
import { createSearchHandler } from './create-search-handler.ts'
import { records } from '../test/support/records.ts'

const KEYS = { appId: 'app', apiKey: 'key&1', indexName: 'docs' }
const handle = createSearchHandler({ ...KEYS, records })
const address = (key = KEYS.apiKey) =>
  `http://host.test/1/indexes/*/queries?${new URLSearchParams({ 'x-algolia-application-id': 'app', 'x-algolia-api-key': key })}`

const post = (body: BodyInit, url = address()) =>
  handle(new Request(url, { method: 'POST', body, headers: { 'content-type': 'text/plain' } }))
const ask = async (...requests: object[]) => {
  const response = await post(JSON.stringify({ requests: requests.map((each) => ({ indexName: 'docs', ...each })) }))
  expect(response.status).toBe(200)
  const { results } = await response.json()
  return results
}

describe('the search handler answers', () => {
  it('with hits, their number and the query', async () => {
    const [result] = await ask({ query: 'network' })
    expect(result).toMatchObject({ nbHits: 2, page: 0, nbPages: 1, hitsPerPage: 20, query: 'network', index: 'docs' })
    expect(result.hits[0]).toMatchObject({
      url: '/guides/network',
      type: 'lvl1',
      hierarchy: { lvl1: 'Network isolation' },
    })
  })

  it('several requests of a call in their order', async () => {
    const results = await ask({ query: 'windows' }, { query: 'proxy' })
    expect(results.map(({ hits }: { hits: Array<{ url: string }> }) => hits[0]?.url)).toEqual([
      '/guides/install#windows',
      '/guides/network#proxy',
    ])
  })

  it('with highlights and snippets, escaped', async () => {
    const [result] = await ask({ query: 'package', attributesToSnippet: ['content:3'] })
    expect(result.hits[0]._highlightResult.content).toMatchObject({
      value: 'Use the <mark>package</mark> &lt;name&gt;.',
      matchLevel: 'full',
      matchedWords: ['package'],
    })
    expect(result.hits[0]._snippetResult.content.value).toBe('Use the <mark>package</mark>…')
  })

  it('with the tags and the ellipsis that were asked for', async () => {
    const [result] = await ask({
      query: 'package',
      highlightPreTag: '[',
      highlightPostTag: ']',
      snippetEllipsisText: ' etc',
      attributesToSnippet: ['content:3'],
    })
    expect(result.hits[0]._snippetResult.content.value).toBe('Use the [package] etc')
  })

  it('with the attributes that were asked for only', async () => {
    const [result] = await ask({ query: 'network', attributesToRetrieve: ['url', 'hierarchy.lvl0'] })
    expect(Object.keys(result.hits[0]).toSorted()).toEqual([
      '_highlightResult',
      '_snippetResult',
      'hierarchy',
      'objectID',
      'url',
    ])
    expect(result.hits[0].hierarchy).toEqual({ lvl0: 'Guides' })
  })

  it('a page at a time', async () => {
    const [first, second] = await ask({ query: '', hitsPerPage: 4 }, { query: '', hitsPerPage: 4, page: 1 })
    expect([first.hits.length, second.hits.length, first.nbPages]).toEqual([4, 2, 2])
    expect(second.hits[0].objectID).not.toBe(first.hits[0].objectID)
  })

  it.each([
    ['a facet', 'language:de', 1],
    ['either of two values', [['language:de', 'language:en']], 6],
    ['two facets at once', ['language:en', 'hierarchy.lvl0:Reference'], 1],
    ['all but a value', ['language:-de'], 5],
    ['something that is not a facet', ['colour:red'], 0],
  ])('filtered by %s', async (_, facetFilters, count) => {
    const [result] = await ask({ query: '', facetFilters })
    expect(result.nbHits).toBe(count)
  })

  it('with counts of the facets', async () => {
    const [result] = await ask({ query: '', facets: ['language'] })
    expect(result.facets).toEqual({ language: { en: 5, de: 1 } })
  })

  it('with an id of the query where clicks are to be told apart', async () => {
    const [plain, analysed] = await ask({ query: 'x' }, { query: 'x', clickAnalytics: true })
    expect(plain.queryID).toBeUndefined()
    expect(analysed.queryID).toMatch(/^[0-9a-f]{32}$/)
  })

  it('parameters in one text, as older clients send them', async () => {
    const [result] = await ask({ params: 'query=network&hitsPerPage=1&facetFilters=%5B%22language%3Aen%22%5D' })
    expect(result).toMatchObject({ query: 'network', hitsPerPage: 1, nbHits: 2 })
  })

  it('pages from other hosts', async () => {
    const preflight = await handle(new Request(address(), { method: 'OPTIONS' }))
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get('access-control-allow-methods')).toContain('POST')
    const response = await post('{}')
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
  })
})

describe('the search handler refuses', () => {
  it.each([
    ['what is not JSON', '{', 400, 'not valid JSON'],
    ['a body without requests', '{}', 400, 'requests'],
    ['too many hits', '{"requests":[{"indexName":"docs","hitsPerPage":5000}]}', 400, 'hitsPerPage'],
    ['an index that it does not have', '{"requests":[{"indexName":"other"}]}', 404, 'Index other does not exist'],
    ['more than it reads', `{"requests":"${'x'.repeat(70_000)}"}`, 413, 'too large'],
  ])('%s', async (_, body, status, message) => {
    const response = await post(body)
    expect(response.status).toBe(status)
    expect(response.headers.get('content-type')).toContain('application/json')
    const answer = await response.json()
    expect(answer).toMatchObject({ status })
    expect(answer.message).toContain(message)
  })

  it('a wrong key', async () => {
    expect((await post('{}', address('wrong'))).status).toBe(403)
    expect((await post('{}', 'http://host.test/1/indexes/*/queries')).status).toBe(403)
  })

  it('another method', async () => {
    const response = await handle(new Request(address()))
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST, OPTIONS'])
  })

  it('another path', async () => {
    expect((await post('{}', 'http://host.test/1/indexes/docs/settings')).status).toBe(404)
  })
})

it('answers anything with JSON and a status, and never fails', async () => {
  const loose = fc.record(
    {
      indexName: fc.constantFrom('docs', 'other'),
      query: fc.oneof(fc.string({ unit: 'binary' }), fc.anything()),
      page: fc.anything(),
      hitsPerPage: fc.oneof(fc.integer(), fc.anything()),
      facetFilters: fc.anything(),
      facets: fc.anything(),
      attributesToSnippet: fc.oneof(fc.array(fc.string()), fc.anything()),
      params: fc.oneof(fc.string(), fc.anything()),
    },
    { requiredKeys: [] },
  )
  const body = fc.oneof(
    fc.json(),
    fc.string(),
    fc.array(loose).map((requests) => JSON.stringify({ requests })),
  )
  await fc.assert(
    fc.asyncProperty(body, async (text) => {
      const response = await post(text)
      expect([200, 400, 404, 413]).toContain(response.status)
      await response.json()
    }),
  )
})

it('lets no text of a record or a query through unescaped', async () => {
  const dangerous = fc.string({ unit: fc.constantFrom('<', '>', '&', '"', "'", 'a', ' ') })
  await fc.assert(
    fc.asyncProperty(dangerous, dangerous, async (content, query) => {
      const [record] = records
      const hostile = createSearchHandler({
        ...KEYS,
        records: [{ ...record!, type: 'content', content: `word ${content}` }],
      })
      const request = new Request(address(), {
        method: 'POST',
        body: JSON.stringify({ requests: [{ indexName: 'docs', query: `word ${query}` }] }),
      })
      const { results } = await (await hostile(request)).json()
      const { value } = results[0].hits[0]._highlightResult.content
      expect(value.replaceAll(/<\/?mark>/g, '')).not.toMatch(/[<>"']/)
    }),
  )
})

it('serves the stock client of hosted search', async () => {
  const server = createServer((request, response) => {
    const body = Readable.toWeb(request)
    const init = { method: 'POST', body, duplex: 'half' } as const
    // @ts-expect-error -- the types of Node's streams and of fetch differ in name only
    void handle(new Request(new URL(request.url ?? '/', 'http://localhost'), init)).then(async (answer) => {
      response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text())
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const bound = server.address()
  const port = typeof bound === 'object' && bound !== null ? bound.port : 0
  const hosts = [{ url: '127.0.0.1', port, protocol: 'http', accept: 'readWrite' } as const]
  try {
    const client = liteClient(KEYS.appId, KEYS.apiKey, { hosts, authMode: 'WithinQueryParameters' })
    const { results } = await client.searchForHits<{ url: string }>({
      requests: [{ indexName: 'docs', query: 'windows' }],
    })
    expect(results[0]?.hits[0]?.url).toBe('/guides/install#windows')
    await expect(client.search({ requests: [{ indexName: 'other' }] })).rejects.toMatchObject({
      name: 'ApiError',
      status: 404,
      message: 'Index other does not exist',
    })
  } finally {
    server.close()
  }
})
