import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import { gzipSync } from 'node:zlib'
import { isThvError } from '@toolhaven/core/errors'
import { testCertificate } from '@toolhaven/testing/testbed/certificate'
import { afterEach, describe, expect, it } from 'vitest'
import { createGuardedFetch, type GuardedFetchOptions } from './guarded-fetch.ts'

const open: (() => PromiseLike<unknown>)[] = []
afterEach(async () => {
  for (const close of open.splice(0)) await close()
})

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  open.push(() => new Promise((done) => server.close(done)))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return (address satisfies AddressInfo).port
}

async function serve(listener: RequestListener): Promise<string> {
  return `http://127.0.0.1:${await listen(createServer(listener))}`
}

function guarded(options: Partial<GuardedFetchOptions> = {}) {
  const fetch = createGuardedFetch({ allowPrivate: true, maxBytes: 1000, timeoutMs: 30_000, ...options })
  open.unshift(() => fetch[Symbol.asyncDispose]())
  return fetch
}

async function refusalOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise
  } catch (error) {
    if (isThvError(error)) return `${error.code}: ${error.message}`
    throw error
  }
  throw new Error('it was not refused')
}

describe('a guarded fetch for public addresses', () => {
  it.each([
    ['http://example.com/', 'must use https'],
    ['ftp://example.com/', 'must use https'],
    ['file:///etc/passwd', 'must use https'],
    ['nonsense', 'cannot be read'],
    ['https://user:hunter2@example.com/', 'user name or password'],
    ['https://127.0.0.1/', 'not a public address'],
    ['https://[::1]/', 'not a public address'],
    ['https://[::ffff:10.0.0.1]/', 'not a public address'],
    ['https://169.254.169.254/latest/meta-data', 'never reached'],
    ['https://2130706433/', 'another notation'],
    ['https://0x7f.1/', 'another notation'],
    ['https://0177.0.0.1/', 'another notation'],
    ['https://0x08080808/', 'another notation'],
    ['https://localhost/', 'leads to'],
  ])('refuses %s', async (url, reason) => {
    const refusal = await refusalOf(guarded({ allowPrivate: false })(url))
    expect(refusal).toContain('invalid: ')
    expect(refusal).toContain(reason)
    expect(refusal).not.toContain('hunter2')
  })

  it('refuses a name when only one of its answers is private', async () => {
    const fetch = guarded({ allowPrivate: false, resolve: async () => ['93.184.216.34', '10.0.0.1'] })
    expect(await refusalOf(fetch('https://mixed.test/'))).toBe(
      'invalid: mixed.test leads to 10.0.0.1, which is not a public address: allow private addresses to use it',
    )
  })

  it('refuses public addresses of this machine and of its neighbours', async () => {
    const ownAddresses = () => ['198.51.44.7/24']
    for (const address of ['198.51.44.7', '198.51.44.9']) {
      const fetch = guarded({ allowPrivate: false, ownAddresses, resolve: async () => [address] })
      expect(await refusalOf(fetch('https://near.test/'))).toContain(
        `leads to ${address}, which is not a public address`,
      )
    }
  })

  it('does not use a proxy it was given', async () => {
    let asked = 0
    const proxy = await serve((_request, response) => {
      asked += 1
      response.end()
    })
    const fetch = guarded({
      allowPrivate: false,
      proxy: { http: proxy, https: proxy },
      resolve: async () => ['10.0.0.1'],
    })
    expect(await refusalOf(fetch('https://inside.test/'))).toContain('10.0.0.1')
    expect(asked).toBe(0)
  })
})

describe('a guarded fetch with private addresses allowed', () => {
  it('still refuses link-local, unspecified and multicast addresses', async () => {
    for (const host of ['169.254.169.254', '0.0.0.0', '224.0.0.1', '[fe80::1]', '[::]', '255.255.255.255']) {
      expect(await refusalOf(guarded()(`http://${host}/`))).toContain('never reached')
    }
  })

  it('dials the very address that was vetted, and asks the resolver once', async () => {
    const url = await serve((request, response) => response.end(request.headers.host))
    const answers = [['127.0.0.1'], ['169.254.169.254']]
    const fetch = guarded({ resolve: async () => answers.shift() ?? [] })
    const port = new URL(url).port
    const response = await fetch(`http://rebinding.test:${port}/`)
    expect(await response.text()).toBe(`rebinding.test:${port}`)
    expect(answers).toHaveLength(1)
  })

  it('tries the next address when one does not answer', async () => {
    const url = await serve((_request, response) => response.end('here'))
    const fetch = guarded({ resolve: async () => ['127.0.0.2', '127.0.0.1'] })
    const response = await fetch(`http://two.test:${new URL(url).port}/`)
    expect(await response.text()).toBe('here')
  })

  it('vets every redirect and names the place it refuses', async () => {
    const url = await serve((request, response) => {
      const location = {
        '/meta': 'http://169.254.169.254/',
        '/odd': 'http://0x7f000001/',
        '/file': 'file:///etc/passwd',
        '/user': 'http://a:b@127.0.0.1/',
      }[request.url ?? '']
      response.writeHead(302, { location }).end()
    })
    const fetch = guarded()
    expect(await refusalOf(fetch(`${url}/meta`))).toContain('169.254.169.254')
    expect(await refusalOf(fetch(`${url}/odd`))).toContain('another notation')
    expect(await refusalOf(fetch(`${url}/file`))).toContain('must use https')
    expect(await refusalOf(fetch(`${url}/user`))).toContain('user name or password')
  })

  it('follows a few redirects, gives up on a circle, and leaves them to the caller when asked', async () => {
    const url = await serve((request, response) => {
      if (request.url === '/end') return void response.end('there')
      response.writeHead(302, { location: request.url === '/circle' ? '/circle' : '/end' }).end()
    })
    const fetch = guarded()
    expect(await (await fetch(`${url}/start`)).text()).toBe('there')
    expect(await refusalOf(fetch(`${url}/circle`))).toContain('more than 5 times')
    expect(await refusalOf(fetch(`${url}/start`, { redirect: 'error' }))).toContain('not allowed here')
    const manual = await fetch(`${url}/start`, { redirect: 'manual' })
    expect([manual.status, manual.headers.get('location')]).toEqual([302, '/end'])
  })

  it('leaves credentials behind when the redirect goes to another origin', async () => {
    const other = await serve((request, response) => response.end(JSON.stringify(request.headers)))
    const url = await serve((_request, response) => response.writeHead(307, { location: other }).end())
    const response = await guarded()(url, {
      headers: { authorization: 'Bearer canary', 'x-api-key': 'canary', cookie: 'canary', accept: 'text/x' },
    })
    const text = await response.text()
    expect(text).not.toContain('canary')
    expect(text).toContain('text/x')
  })

  it('turns a POST into a GET on 303 and repeats it on 307', async () => {
    const url = await serve((request, response) => {
      if (request.url === '/303') return void response.writeHead(303, { location: '/end' }).end()
      if (request.url === '/307') return void response.writeHead(307, { location: '/end' }).end()
      request.pipe(response.setHeader('x-method', request.method ?? ''))
    })
    const fetch = guarded()
    const [see, again] = await Promise.all([
      fetch(`${url}/303`, { method: 'post', body: 'a=1' }),
      fetch(`${url}/307`, { method: 'POST', body: 'a=1' }),
    ])
    expect([see.headers.get('x-method'), await see.text()]).toEqual(['GET', ''])
    expect([again.headers.get('x-method'), await again.text()]).toEqual(['POST', 'a=1'])
  })

  it('stops a body that is larger than allowed, announced or not, plain or packed', async () => {
    // Packed beforehand: the time limit of the request runs on a busy machine too.
    const bomb = gzipSync('x'.repeat(50_000_000))
    const url = await serve((request, response) => {
      if (request.url === '/announced') return void response.end('x'.repeat(1001))
      if (request.url === '/packed') return void response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb)
      if (request.url === '/fits')
        return void response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('x'.repeat(1000)))
      for (let chunk = 0; chunk < 11; chunk += 1) response.write('x'.repeat(100))
      response.end()
    })
    const fetch = guarded()
    const read = async (path: string) => (await fetch(`${url}${path}`)).text()
    for (const path of ['/announced', '/packed', '/chunks'])
      expect(await refusalOf(read(path))).toContain('larger than 1000 bytes')
    expect(await read('/fits')).toHaveLength(1000)
  })

  it("limits the time of the whole answer, and passes the caller's own abort on", async () => {
    const url = await serve((request, response) => {
      if (request.url === '/half') response.write('half')
    })
    expect(await refusalOf(guarded({ timeoutMs: 50 })(`${url}/silent`))).toMatch(
      /^unavailable: .* did not answer in time$/,
    )
    // Long enough for the first half to come, on a busy machine too.
    const patient = guarded({ timeoutMs: 2_000 })
    expect(await refusalOf(patient(`${url}/half`).then((response) => response.text()))).toMatch(
      /^unavailable: .* broke off/,
    )
    const own = new Error('shutting down')
    await expect(guarded()(`${url}/silent`, { signal: AbortSignal.abort(own) })).rejects.toBe(own)
  })

  it('says unavailable for a port where nobody listens and for a name without an address', async () => {
    const port = await listen(createServer())
    for (const close of open.splice(0)) await close()
    expect(await refusalOf(guarded()(`http://127.0.0.1:${port}/`))).toMatch(
      /^unavailable: 127\.0\.0\.1:\d+ could not be reached: nothing listens at that address \(.*ECONNREFUSED/,
    )
    expect(await refusalOf(guarded({ resolve: async () => [] })('http://nowhere.test/'))).toBe(
      'unavailable: nowhere.test has no address',
    )
  })

  it('checks the certificate against the name and trusts a given authority besides the usual ones', async () => {
    const port = await listen(createTlsServer(testCertificate, (_request, response) => response.end('secure')))
    const resolve = async () => ['127.0.0.1']
    const trusting = guarded({ resolve, caCertificates: [testCertificate.cert] })
    expect(await (await trusting(`https://registry.test:${port}/`)).text()).toBe('secure')
    const other = await refusalOf(trusting(`https://other.test:${port}/`))
    expect(other).toMatch(/^unavailable: .*could not be reached: its certificate is for another host$/)
    const untrusted = await refusalOf(guarded({ resolve })(`https://registry.test:${port}/`))
    expect(untrusted).toMatch(/^unavailable: .*could not be reached: its certificate is not trusted here$/)
  })

  it('refuses to be redirected from https to http', async () => {
    const listener: RequestListener = (_request, response) =>
      void response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end()
    const port = await listen(createTlsServer(testCertificate, listener))
    const fetch = guarded({ resolve: async () => ['127.0.0.1'], caCertificates: [testCertificate.cert] })
    expect(await refusalOf(fetch(`https://registry.test:${port}/`))).toContain('from https to http')
  })

  it('goes through the proxy it was given, except where told not to', async () => {
    const proxied: string[] = []
    const proxy = createServer()
    proxy.on('connect', (request, socket) => {
      proxied.push(request.url ?? '')
      socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n')
    })
    proxy.on('request', (request, response) => {
      proxied.push(request.url ?? '')
      response.end('by proxy')
    })
    const proxyUrl = `http://127.0.0.1:${await listen(proxy)}`
    const direct = await serve((_request, response) => response.end('direct'))
    const fetch = guarded({ proxy: { http: proxyUrl, https: proxyUrl, except: '127.0.0.1' } })
    await refusalOf(fetch('https://far.test/'))
    expect(proxied.join()).toContain('far.test')
    expect(await (await fetch(direct)).text()).toBe('direct')
  })

  it('asks no proxy for a metadata service, and reaches none around it', async () => {
    const proxied: string[] = []
    const proxy = await serve((request, response) => {
      proxied.push(request.url ?? '')
      response.end()
    })
    const fetch = guarded({
      proxy: { http: proxy, https: proxy, except: 'near.test' },
      resolve: async () => ['169.254.169.254'],
    })
    for (const host of ['169.254.169.254', '[fd00:ec2::254]', 'metadata.google.internal'])
      expect(await refusalOf(fetch(`http://${host}/`))).toContain('never reached')
    expect(await refusalOf(fetch('http://near.test/'))).toContain('never reached')
    expect(proxied).toEqual([])
  })
})
