import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createConsolePage } from './console-page.ts'

const BROWSER = { accept: 'text/html,application/xhtml+xml' }

describe('the console', () => {
  let folder: string
  let page: ReturnType<typeof createConsolePage>
  const ask = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    page(new Request(`http://localhost:8080${path}`, { headers, method }))

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'thv-console-'))
    await mkdir(join(folder, 'dist', 'assets'), { recursive: true })
    await writeFile(join(folder, 'secret.txt'), 'not of the console')
    page = createConsolePage(join(folder, 'dist'))
  })
  afterEach(() => rm(folder, { recursive: true, force: true }))

  const build = async (index = '<title>Console</title>') => {
    await writeFile(join(folder, 'dist', 'assets', 'main-1a2b.js'), 'plain')
    await writeFile(join(folder, 'dist', 'assets', 'main-1a2b.js.br'), 'as brotli')
    await writeFile(join(folder, 'dist', 'assets', 'main-1a2b.js.gz'), 'as gzip')
    await writeFile(join(folder, 'dist', 'console.svg'), '<svg/>')
    await writeFile(join(folder, 'dist', 'index.html'), index)
  }

  test('is what a browser gets at each address that is not of the API', async () => {
    await build()
    for (const path of ['/', '/servers', '/servers/github?tab=logs']) {
      const response = await ask(path, BROWSER)
      expect(response?.status).toBe(200)
      expect(await response?.text()).toContain('<title>Console</title>')
      expect(response?.headers.get('cache-control')).toBe('no-store')
    }
  })

  test('leaves to the API what programs ask for, and its own addresses', async () => {
    await build()
    expect(await ask('/servers')).toBeUndefined()
    for (const path of ['/api', '/api/v1beta/nothing', '/health', '/assets/gone.js'])
      expect(await ask(path, BROWSER)).toBeUndefined()
    expect(await ask('/', BROWSER, 'POST')).toBeUndefined()
  })

  test('has files with a hash that are kept for ever, compressed as the browser likes', async () => {
    await build()
    const get = async (encoding: string) => {
      const response = await ask('/assets/main-1a2b.js', { 'accept-encoding': encoding })
      expect(response?.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
      expect(response?.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
      return [response?.headers.get('content-encoding'), await response?.text()]
    }
    expect(await get('gzip, deflate, br')).toEqual(['br', 'as brotli'])
    expect(await get('gzip')).toEqual(['gzip', 'as gzip'])
    expect(await get('br;q=0, gzip;q=0')).toEqual([null, 'plain'])
    expect((await ask('/console.svg'))?.headers.get('cache-control')).toBe('no-cache')
  })

  test('gives nothing outside its folder', async () => {
    await build()
    for (const path of ['/../secret.txt', '/%2e%2e/secret.txt', '/..%2fsecret.txt', '/assets/../../secret.txt'])
      expect(await (await ask(path, BROWSER))?.text()).not.toContain('not of the console')
    expect(await ask('/assets/main-1a2b.js.br')).toBeUndefined()
  })

  test('can neither be framed nor run what others wrote', async () => {
    await build()
    const policy = (await ask('/', BROWSER))?.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self';")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toMatch(/unsafe/)
    expect((await ask('/', BROWSER))?.headers.get('referrer-policy')).toBe('no-referrer')
  })

  test('has a new nonce in each answer where its styles need one', async () => {
    await build('<meta name="csp-nonce" nonce="__CSP_NONCE__">')
    const nonces = await Promise.all(
      [1, 2].map(async () => {
        const response = await ask('/', BROWSER)
        const nonce = /nonce="([^"]+)"/.exec((await response?.text()) ?? '')?.[1]
        expect(response?.headers.get('content-security-policy')).toContain(`style-src 'self' 'nonce-${nonce}'`)
        return nonce
      }),
    )
    expect(new Set(nonces).size).toBe(2)
  })

  test('that is not built says how to build it, and is there once it is built', async () => {
    const response = await ask('/', BROWSER)
    expect(response?.status).toBe(503)
    expect(await response?.text()).toContain('npm run build:console')
    await build()
    expect((await ask('/', BROWSER))?.status).toBe(200)
    await writeFile(join(folder, 'dist', 'assets', 'next-3c4d.js'), 'next')
    await utimes(join(folder, 'dist', 'index.html'), 1, 1)
    expect(await (await ask('/assets/next-3c4d.js'))?.text()).toBe('next')
  })
})
