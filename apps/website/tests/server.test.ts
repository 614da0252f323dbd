import { request } from 'node:http'
import { brotliDecompressSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { type RunningSite, serveSite } from '../server/serve-site.ts'
import { readSiteFiles } from '../server/site-files.ts'
import { startSite } from './test-site.ts'

let site: RunningSite
beforeAll(async () => {
  site = await startSite()
})
afterAll(async () => {
  await site?.[Symbol.asyncDispose]()
})

interface Answer {
  status: number
  headers: Record<string, unknown>
  body: Buffer
}

/** Plain HTTP: fetch would decode bodies, follow redirects and tidy addresses. */
function ask(path: string, options: { method?: string; headers?: Record<string, string>; body?: string } = {}) {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const sent = request(site.url, { ...options, path }, (response) => {
    const parts: Buffer[] = []
    response.on('data', (part: Buffer) => parts.push(part))
    response.on('end', () =>
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(parts) }),
    )
  })
  sent.on('error', reject)
  sent.end(options.body)
  return promise
}

describe('the server of the site', () => {
  test('sends pages compressed, as brotli or gzip or not at all', async () => {
    const plain = await ask('/toolhaven/faq')
    const brotli = await ask('/toolhaven/faq', { headers: { 'accept-encoding': 'gzip, br' } })
    const gzip = await ask('/toolhaven/faq', { headers: { 'accept-encoding': 'gzip, br;q=0' } })
    expect([plain, brotli, gzip].map(({ headers }) => headers['content-encoding'])).toEqual([undefined, 'br', 'gzip'])
    expect(brotliDecompressSync(brotli.body).equals(plain.body)).toBe(true)
    expect(brotli.headers['vary']).toBe('Accept-Encoding')
  })

  test('lets browsers keep what has its content in its name, and ask again for the rest', async () => {
    const page = await ask('/toolhaven/faq')
    const script = /\/assets\/js\/[^"' >]+\.js/.exec(page.body.toString())?.[0] ?? ''
    expect((await ask(script)).headers['cache-control']).toBe('public, max-age=31536000, immutable')
    expect(page.headers['cache-control']).toBe('public, no-cache')
    const again = await ask('/toolhaven/faq', { headers: { 'if-none-match': String(page.headers['etag']) } })
    expect([again.status, again.body.length]).toEqual([304, 0])
  })

  test('names every inline script by its hash and allows no eval', async () => {
    const { headers } = await ask('/')
    const policy = String(headers['content-security-policy'])
    const scripts = /script-src ([^;]+)/.exec(policy)?.[1] ?? ''
    expect(scripts).toMatch(/^'self'(?: 'sha256-[^']+')+$/)
    expect(policy).toContain("frame-ancestors 'none'")
    expect(headers['x-content-type-options']).toBe('nosniff')
  })

  test.each([
    ['/../package.json', 404],
    ['/%2e%2e/package.json', 404],
    ['/.stamp', 404],
    ['/.records.json', 404],
    ['/%', 400],
    ['/%00', 400],
  ])('%s answers %i', async (path, status) => {
    expect((await ask(path)).status).toBe(status)
  })

  test('a redirect never leaves the site', async () => {
    const { status, headers } = await ask('//example.com/page.html')
    expect(status === 404 || String(headers['location']).startsWith('/')).toBe(true)
    expect(String(headers['location'] ?? '')).not.toMatch(/^\/\//)
  })

  test('only GET and HEAD are answered', async () => {
    const { status, headers } = await ask('/', { method: 'DELETE' })
    expect([status, headers['allow']]).toEqual([405, 'GET, HEAD'])
    const head = await ask('/toolhaven/faq', { method: 'HEAD' })
    expect([head.status, head.body.length]).toEqual([200, 0])
  })

  test('a query that is too long is refused', async () => {
    const { status } = await ask('/1/indexes/*/queries', { method: 'POST', body: 'x'.repeat(100_000) })
    expect(status).toBe(413)
  })

  test('each page has a copy in Markdown, and llms.txt lists them', async () => {
    const list = (await ask('/llms.txt')).body.toString()
    const copies = [...list.matchAll(/\]\((\S+\.md)\)/g)].map(([, url = '']) => url)
    expect(copies.length).toBeGreaterThan(90)
    const answers = await Promise.all(copies.map((copy) => ask(copy)))
    expect(answers.filter(({ status }) => status !== 200)).toEqual([])
    const faq = (await ask('/toolhaven/faq.md')).body.toString()
    expect(faq).toMatch(/^# .+\n\n> .+\n/)
    expect(faq).not.toMatch(/^---$|^import /m)
    const everything = (await ask('/llms-full.txt')).body.toString()
    expect(everything).toContain(faq)
    const api = (await ask('/toolhaven/reference/api.md')).body.toString()
    expect(api).toContain('### Restart a workload\n\n`POST /api/v1beta/workloads/{name}/restart`')
    expect(api).not.toContain('<ApiReference')
  })

  test('a site that was built without an address names none, in pages, lists and scripts', async () => {
    const files = [...(await readSiteFiles(inject('siteFolder')))]
    const named = files.filter(([, { type, body }]) => {
      const text = /html|javascript|plain|markdown|xml/.test(type) ? body.toString() : ''
      const links = [...text.matchAll(/<(?:link|meta)\b[^>]*>|<loc>[^<]*|\]\([^)]*\.md\)/g)].map(([link]) => link)
      return text.includes('address.invalid') || links.some((link) => link.includes('localhost'))
    })
    expect(files.length).toBeGreaterThan(300)
    expect(named.map(([address]) => address)).toEqual([])
    expect((await ask('/sitemap.xml')).status).toBe(404)
    expect((await ask('/robots.txt')).body.toString()).toBe('User-agent: *\nDisallow: /search\n')
  })

  test('with an address, the sitemap lists the pages that are for readers', async () => {
    const files = await readSiteFiles(inject('fixtureFolders')['other'] ?? '')
    const map = files.get('/sitemap.xml')?.body.toString()
    expect(map).toContain('<loc>https://docs.example.com/first</loc>')
    expect(map).not.toContain('/search</loc>')
    expect(files.get('/first/index.html')?.body.toString()).toContain('href=https://docs.example.com/first')
    expect(files.get('/robots.txt')?.body.toString()).toContain('Sitemap: https://docs.example.com/sitemap.xml')
    expect(files.get('/llms.txt')?.body.toString()).toContain('](https://docs.example.com/first.md)')
  })

  test('a taken port is an error of its own', async () => {
    const port = Number(new URL(site.url).port)
    await expect(startSiteAt(port)).rejects.toMatchObject({ code: 'EADDRINUSE' })
  })
})

async function startSiteAt(port: number): Promise<void> {
  await using _second = await serveSite({ folder: inject('siteFolder'), port, host: '127.0.0.1' })
}
