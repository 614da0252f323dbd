import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import path from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { rolldown } from 'rolldown'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { launchBrowser } from '@toolhaven/testing/browser'
import { failing, fakeHits, found, type SearchHost, silent, startSearchHost } from './test-search-host.ts'

interface Outcome {
  value?: { results: Array<{ nbHits: number }> }
  error?: { name: string; message: string; status?: number; text: string }
}

let browser: Browser
let script: string
let a: SearchHost
let b: SearchHost
let page: Page
/** Where the page comes from: the browser lets only pages from loopback talk to loopback. */
let origin: SearchHost

beforeAll(async () => {
  browser = await launchBrowser()
  origin = await startSearchHost((response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'))
  const input = path.resolve(import.meta.dirname, '../src/search/search-client.ts')
  await using bundle = await rolldown({ input, platform: 'browser' })
  const { output } = await bundle.generate({ format: 'iife', name: 'site' })
  script = output[0].code
})
afterAll(async () => {
  await browser?.close()
  await origin?.[Symbol.asyncDispose]()
})

beforeEach(async () => {
  a = await startSearchHost(found(fakeHits(1)))
  b = await startSearchHost(found(fakeHits(2)))
  page = await newPage()
})
afterEach(async () => {
  await page.context().close()
  await a[Symbol.asyncDispose]()
  await b[Symbol.asyncDispose]()
})

/** A page with the client in it, and storage: it comes from a host of its own. */
async function newPage(): Promise<Page> {
  const context = await browser.newContext()
  const opened = await context.newPage()
  await load(opened)
  return opened
}

async function load(target: Page): Promise<void> {
  await target.goto(`http://127.0.0.1:${origin.port}/`)
  await target.addScriptTag({ content: script })
  await target.evaluate(
    (ports) => {
      const hosts = ports.map((port) => ({ url: '127.0.0.1', protocol: 'http', port }))
      Object.assign(window, {
        make: (options: object) =>
          Reflect.get(window, 'site').createSearchClient({
            appId: 'APP',
            apiKey: 'secret-key',
            hosts,
            storage: localStorage,
            ...options,
          }),
      })
      Object.assign(window, { client: Reflect.get(window, 'make')({}) })
    },
    [a.port, b.port],
  )
}

/** Calls a method of the client in the page; errors come back as what a reader of a log could see of them. */
function call(method: string, argument: unknown, options?: object): Promise<Outcome> {
  return page.evaluate(
    async ([name, given, made]) => {
      try {
        const client = made === null ? Reflect.get(window, 'client') : Reflect.get(window, 'make')(made)
        return { value: await client[name](given === null ? undefined : given) }
      } catch (error) {
        if (!(error instanceof Error)) throw error
        const { name: kind, message } = error
        const status = 'status' in error && typeof error.status === 'number' ? { status: error.status } : {}
        return {
          error: {
            name: kind,
            message,
            ...status,
            text: JSON.stringify(Object.getOwnPropertyNames(error).map((key) => [key, Reflect.get(error, key)])),
          },
        }
      }
    },
    [method, argument ?? null, options ?? null] as const,
  )
}

/** From here on the time of the page moves only when the test says so. */
async function stopClock(): Promise<void> {
  await page.clock.install({ time: '2026-01-01T00:00:00Z' })
  await load(page)
  await page.clock.pauseAt('2026-01-01T01:00:00Z')
}

/** Headers and a beginning, long enough for the browser to pass it on, and then nothing. */
const halfAnswered: SearchHost['answer'] = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' }).write(`{"results":[${' '.repeat(4096)}`)
}

const search = (query: string) => call('search', { requests: [{ indexName: 'docs', query }] })

describe('section 5: the search client requires a non-empty application id and key', () => {
  it.each([
    [{ appId: '' }, '`appId` is missing.'],
    [{ apiKey: '' }, '`apiKey` is missing.'],
  ])('%o', async (options, message) => {
    expect((await call('search', { requests: [] }, options)).error?.message).toBe(message)
  })
})

it('section 5: a search call requires its parameters', async () => {
  expect((await call('search', undefined)).error?.message).toBe(
    'Parameter `searchMethodParams` is required when calling `search`.',
  )
})

it('section 5: a custom post call requires a path', async () => {
  expect((await call('customPost', {})).error?.message).toBe('Parameter `path` is required when calling `customPost`.')
})

it('section 7: POST /1/indexes/*/queries with id and key in the query string and content type text/plain', async () => {
  await search('one')
  const [request] = a.seen
  expect(request).toMatchObject({ method: 'POST', type: 'text/plain' })
  expect(request?.url.pathname).toBe('/1/indexes/*/queries')
  expect(request?.url.searchParams.get('x-algolia-application-id')).toBe('APP')
  expect(request?.url.searchParams.get('x-algolia-api-key')).toBe('secret-key')
  expect(JSON.parse(request?.body ?? '')).toEqual({ requests: [{ indexName: 'docs', query: 'one' }] })
})

it('section 7: the client also offers recommendations and a generic custom POST', async () => {
  await call('getRecommendations', { requests: [] })
  await call('customPost', { path: '1/own', body: { x: 1 } })
  expect(a.seen.map(({ url, method }) => [method, url.pathname])).toEqual([
    ['POST', '/1/indexes/*/recommendations'],
    ['POST', '/1/own'],
  ])
})

describe('section 5: only a 2xx answer counts as success', () => {
  it.each([400, 403, 404, 429])('%i is a final failure', async (status) => {
    a.answer = failing(status, 'because')
    expect((await search('x')).error).toMatchObject({ name: 'ApiError', status, message: 'because' })
    expect([a.seen.length, b.seen.length]).toEqual([1, 0])
  })

  it.each([500, 503])('%i is retried on the next host', async (status) => {
    a.answer = failing(status)
    expect((await search('x')).value?.results[0]?.nbHits).toBe(2)
    expect([a.seen.length, b.seen.length]).toEqual([1, 1])
  })

  it('a network error is retried on the next host', async () => {
    a.answer = (response) => void response.destroy()
    expect((await search('x')).value?.results[0]?.nbHits).toBe(2)
  })

  it('a timeout is retried on the next host', async () => {
    a.answer = silent
    expect((await search('x')).value?.results[0]?.nbHits).toBe(2)
  })
})

describe('section 8: search client errors', () => {
  it('all hosts unreachable gives a retry error', async () => {
    a.answer = failing(500)
    b.answer = (response) => void response.destroy()
    const { error } = await search('x')
    expect(error?.name).toBe('RetryError')
    expect(error?.message).toMatch(/^Unreachable hosts - your application id may be incorrect\./)
  })

  it('an unparsable answer gives a deserialization error', async () => {
    a.answer = (response) => void response.end('{"results":')
    expect((await search('x')).error?.name).toBe('DeserializationError')
  })

  it('a connection timeout gives status 0 and "Connection timeout"', async () => {
    a.answer = silent
    b.answer = failing(500)
    expect((await search('x')).error?.text).toContain(
      '"response":{"status":0,"content":"Connection timeout","isTimedOut":true}',
    )
  })

  it('a read timeout gives "Socket timeout"', async () => {
    a.answer = halfAnswered
    b.answer = failing(500)
    expect((await search('x')).error?.text).toContain('"content":"Socket timeout"')
  })

  it('the key is masked in logged requests', async () => {
    a.answer = failing(500)
    b.answer = failing(500)
    const { error } = await search('x')
    expect(a.seen[0]?.url.searchParams.get('x-algolia-api-key')).toBe('secret-key')
    expect(error?.text).toContain('x-algolia-api-key=*****')
    expect(error?.text).not.toContain('secret-key')
  })
})

describe('section 4: the client tracks each host as up, down or timed out', () => {
  const health = () =>
    page.evaluate(() =>
      Object.values(JSON.parse(localStorage.getItem('search-hosts-APP') ?? '{}')).map((value) =>
        typeof value === 'object' && value !== null ? Reflect.get(value, 'status') : '',
      ),
    )

  it('a failed host is left alone, also after the page is loaded again, and tried again after 2 minutes', async () => {
    a.answer = failing(500)
    await stopClock()
    await search('one')
    await search('two')
    expect([a.seen.length, b.seen.length]).toEqual([1, 2])
    expect(await health()).toEqual(['down'])
    await load(page)
    await search('three')
    await page.clock.fastForward(118_000)
    await search('four')
    expect([a.seen.length, b.seen.length]).toEqual([1, 4])
    await page.clock.fastForward(3000)
    await search('five')
    expect([a.seen.length, b.seen.length]).toEqual([2, 5])
  })

  it('a host that answered too late is asked last, and is up again once it answers', async () => {
    a.answer = silent
    await search('one')
    expect(await health()).toEqual(['timed out'])
    a.answer = found(fakeHits(1))
    b.answer = failing(500)
    await search('two')
    expect([a.seen.length, b.seen.length]).toEqual([2, 2])
    expect(await health()).toEqual(['down'])
  })
})

describe('section 9: search client timeouts', () => {
  /** Resolves when the page has seen the headers of an answer: from then on the read timeout runs. */
  const noteHeaders = () =>
    page.evaluate(() => {
      const { promise, resolve } = Promise.withResolvers<void>()
      const open = Reflect.get(XMLHttpRequest.prototype, 'open')
      XMLHttpRequest.prototype.open = function (this: XMLHttpRequest, ...args: unknown[]) {
        this.addEventListener('readystatechange', () => this.readyState === 2 && queueMicrotask(resolve))
        return Reflect.apply(open, this, args)
      }
      return promise
    })

  it('connect 1 s, multiplied by the number of the attempt', async () => {
    a.answer = silent
    b.answer = silent
    await stopClock()
    const outcome = search('x')
    await expect.poll(() => a.seen.length, { timeout: 30_000 }).toBe(1)
    await page.clock.runFor(900)
    expect(b.seen.length).toBe(0)
    await page.clock.runFor(200)
    await expect.poll(() => b.seen.length, { timeout: 30_000 }).toBe(1)
    await page.clock.runFor(1800)
    expect(await page.evaluate(() => localStorage.getItem('search-hosts-APP'))).not.toContain(String(b.port))
    await page.clock.runFor(300)
    expect((await outcome).error?.name).toBe('RetryError')
  })

  it('a host that takes no connection is given up for the next one', async () => {
    await using full = await startFullHost()
    const hosts = [full.port, b.port].map((port) => ({ url: '127.0.0.1', protocol: 'http', port }))
    const outcome = await call('search', { requests: [{ indexName: 'docs', query: 'x' }] }, { hosts })
    expect(outcome.value?.results[0]?.nbHits).toBe(2)
    expect(await page.evaluate(() => localStorage.getItem('search-hosts-APP'))).toMatch(/"status":"timed out"/)
  })

  it('read 2 s', async () => {
    a.answer = halfAnswered
    await stopClock()
    const hasHeaders = noteHeaders()
    const outcome = search('x')
    await hasHeaders
    await page.clock.runFor(1900)
    expect(b.seen.length).toBe(0)
    await page.clock.runFor(200)
    expect((await outcome).value?.results[0]?.nbHits).toBe(2)
  })

  it('write 30 s', async () => {
    a.answer = halfAnswered
    await stopClock()
    const hasHeaders = noteHeaders()
    const outcome = call('customPost', { path: '1/own' })
    await hasHeaders
    await page.clock.runFor(28_000)
    expect(b.seen.length).toBe(0)
    await page.clock.runFor(3000)
    await outcome
    expect(b.seen.length).toBe(1)
  })
})

/** A program that listens and never takes a connection: two wait in its queue, and the system lets no third one in. */
async function startFullHost(): Promise<{ port: number } & AsyncDisposable> {
  const program = [
    "require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, function () {",
    '  process.stdout.write(String(this.address().port))',
    '  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)',
    '})',
  ]
  const child = spawn(process.execPath, ['-e', program.join('\n')], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [said] = await once(child.stdout, 'data')
  const port = Number(String(said))
  const waiting = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')]
  for (const socket of waiting) socket.on('error', () => undefined) // cut off in the end
  await Promise.all(waiting.map((socket) => once(socket, 'connect')))
  return {
    port,
    async [Symbol.asyncDispose]() {
      for (const socket of waiting) socket.destroy()
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}

describe('section 9: response cache for the session; fallback hosts shuffled', () => {
  it('the same search is asked once until the page is loaded again', async () => {
    await search('same')
    await search('same')
    expect(a.seen.length).toBe(1)
    await load(page)
    await search('same')
    expect(a.seen.length).toBe(2)
  })

  it('without hosts of its own, the client asks those of the provider, the fallback ones in any order', async () => {
    const orders = await page.evaluate(async () => {
      const asked: string[] = []
      const open = XMLHttpRequest.prototype.open
      XMLHttpRequest.prototype.open = function (this: XMLHttpRequest, method: string, url: string | URL) {
        asked.push(new URL(url).host)
        // Nothing leaves the machine: the address is replaced by one that refuses.
        Reflect.apply(open, this, [method, 'http://127.0.0.1:9/', true])
      }
      const lists: string[] = []
      for (let round = 0; round < 40; round++) {
        const client = Reflect.get(window, 'make')({ hosts: [], storage: undefined })
        await client.search({ requests: [{ indexName: 'docs', query: `${round}` }] }).catch(() => undefined)
        lists.push(asked.splice(0).join(' '))
      }
      return lists
    })
    expect(orders.every((hosts) => hosts.startsWith('app-dsn.algolia.net '))).toBe(true)
    expect(new Set(orders).size).toBeGreaterThan(1)
  })
})
