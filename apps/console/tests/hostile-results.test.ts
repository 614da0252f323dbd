import { once } from 'node:events'
import { createServer } from 'node:http'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchBrowser, launchUserBrowser } from '@toolhaven/testing/browser'
import { until } from '@toolhaven/testing/testbed/until'
import { untilStatus } from '../../../e2e/src/statuses.ts'
import { SHOWCASE, startConsole, type TestConsole } from './test-console.ts'

/** Where an attacker waits, who serves the page and the picture as well: what is asked for there got through. */
async function startTrap() {
  const asked: string[] = []
  const server = createServer(({ url = '' }, response) => {
    asked.push(url)
    const bodyOf = SERVED[url]
    const body = bodyOf === undefined ? '' : bodyOf(trap.address)
    const type = url.endsWith('.svg') ? 'image/svg+xml' : 'text/html'
    response.writeHead(200, { 'content-type': type, 'access-control-allow-origin': '*' }).end(body)
  })
  const trap = { asked, address: '', close: () => server.close() }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  trap.address = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  return trap
}

const pageOf = (trap: string) => `<h1>Offer</h1>
  <script>fetch('${trap}/script')</script>
  <img src="${trap}/image"><img src="data:," onerror="fetch('${trap}/handler')">
  <link rel="stylesheet" href="${trap}/style"><iframe src="${trap}/frame"></iframe>
  <svg><image href="${trap}/svg-image" /></svg><object data="${trap}/object"></object>
  <form action="${trap}/form" method="post"><button>Send</button></form>
  <p><a href="${trap}/top" target="_top">Take it</a> <a href="${trap}/new" target="_blank">See more</a>
  <a href="${trap}/same">Go on</a></p>`
const moveOf = (trap: string) => `<h1>Moved</h1><meta http-equiv="refresh" content="0; url=${trap}/refresh">`
const svgOf = (trap: string) => `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40">
  <rect width="40" height="40" /><image href="${trap}/svg-inside" width="9" height="9" />
  <script>fetch('${trap}/svg-script')</script></svg>`
const SERVED: Readonly<Record<string, (trap: string) => string>> = {
  ...{ '/page': pageOf, '/picture.svg': svgOf, '/move': moveOf },
}
/** What they ask for by themselves where nothing keeps them from it. */
const GAINS = [
  '/script',
  '/image',
  '/handler',
  '/style',
  '/frame',
  '/svg-image',
  '/object',
  '/svg-inside',
  '/svg-script',
  '/refresh',
]
/** What a person who clicks brings them to ask for. */
const LEADS = [
  { role: 'button', name: 'Send', path: '/form' },
  { role: 'link', name: 'Take it', path: '/top' },
  { role: 'link', name: 'See more', path: '/new' },
  { role: 'link', name: 'Go on', path: '/same' },
] as const

let toolhaven: TestConsole
let trap: Awaited<ReturnType<typeof startTrap>>
let page: Page
beforeAll(async () => {
  trap = await startTrap()
  toolhaven = await startConsole()
  await toolhaven.daemon().api.call('createWorkload', { body: { name: 'evil', image: SHOWCASE } })
  await untilStatus(toolhaven.daemon(), 'evil', 'running')
  page = await toolhaven.open('/servers/evil/try?tool=give')
})
afterAll(async () => {
  trap?.close()
  await toolhaven?.[Symbol.asyncDispose]()
})

async function giveResult(content: readonly object[]) {
  await page.getByRole('textbox', { name: 'Raw JSON' }).fill(JSON.stringify({ result: { content } }))
  await page.getByRole('button', { name: 'Call', exact: true }).click()
  const newest = page.getByRole('article').first()
  await newest.getByText(/answered$/).waitFor()
  return newest
}

const untilAsked = (path: string) => until(`a request for ${path}`, () => trap.asked.includes(path))

test('the page and the picture of the attacker bite where they are opened as what they are', async () => {
  const browser = await launchBrowser()
  try {
    const visit = async (path: string) => {
      const victim = await browser.newPage()
      await victim.goto(trap.address + path)
      return victim
    }
    for (const path of Object.keys(SERVED)) await visit(path)
    for (const { role, name } of LEADS) await (await visit('/page')).getByRole(role, { name }).click()
    for (const path of [...GAINS, ...LEADS.map((lead) => lead.path)]) await untilAsked(path)
  } finally {
    await browser.close()
    trap.asked.length = 0
  }
})

test('as results they ask for nothing, run nothing and lead nowhere', async () => {
  const svg = Buffer.from(svgOf(trap.address)).toString('base64')
  const result = await giveResult([
    { type: 'resource', resource: { uri: 'ui://offer', mimeType: 'text/html', text: pageOf(trap.address) } },
    { type: 'resource', resource: { uri: 'ui://move', mimeType: 'text/html', text: moveOf(trap.address) } },
    { type: 'image', mimeType: 'image/svg+xml', data: svg },
    { type: 'image', mimeType: 'text/html', data: Buffer.from(pageOf(trap.address)).toString('base64') },
    { type: 'text', text: pageOf(trap.address) },
  ])
  const offer = result.frameLocator('iframe').first()
  await offer.getByRole('heading', { name: 'Offer' }).waitFor()
  await result.frameLocator('iframe').last().getByRole('heading', { name: 'Moved' }).waitFor()
  const picture = result.getByRole('img', { name: 'Result of the kind image/svg+xml' })
  await expect.poll(() => picture.evaluate((image) => Reflect.get(image, 'naturalWidth'))).toBe(40)
  await result.getByText('This image cannot be shown').waitFor()
  // Text is text: the page has no element that the server wrote.
  await result.getByRole('group', { name: 'Text' }).getByText("<script>fetch('").waitFor()
  const before = page.url()
  // What leads somewhere is there as text.
  for (const { role, name } of LEADS) {
    await offer.getByText(name).first().click()
    expect(await offer.getByRole(role, { name }).count()).toBe(0)
  }
  // Whatever would be asked for is asked for before this answer.
  await page.getByRole('button', { name: 'Call', exact: true }).click()
  await expect
    .poll(() =>
      page
        .getByRole('article')
        .getByText(/answered$/)
        .count(),
    )
    .toBe(2)
  expect(page.url()).toBe(before)
  expect(page.context().pages()).toHaveLength(1)
  expect(trap.asked).toEqual([])
})

test('addresses that run something are text, others leave without a referrer, and nothing is hidden', async () => {
  const result = await giveResult([
    { type: 'resource_link', uri: 'javascript:alert(1)', name: 'run' },
    { type: 'resource_link', uri: 'data:text/html,<script>alert(1)</script>', name: 'data' },
    { type: 'resource_link', uri: 'https://example.com/\u202Etxt.exe', name: 'turned' },
    { type: 'text', text: 'safe\u200Bword\u202E' },
  ])
  await result.getByText('javascript:alert(1)').first().waitFor()
  const links = result.getByRole('link').filter({ hasText: '://' })
  expect(await links.count()).toBe(1)
  expect(await links.first().getAttribute('rel')).toBe('noreferrer')
  expect(await links.first().getAttribute('target')).toBe('_blank')
  expect(await links.first().innerText()).toContain('U+202E')
  expect(await result.getByRole('group', { name: 'Text' }).innerText()).toBe('safeU+200BwordU+202E')
})

const aheadOf = (trap: string) => `<link rel="preconnect" href="${trap}"><p>Nothing to see</p>
  <svg><foreignObject><link rel="preconnect" href="${trap}"></foreignObject></svg>
  <div><template shadowrootmode="open"><link rel="preconnect" href="${trap}"></template></div>`

test('a page of a server has nobody connected to ahead of time, which no policy keeps a browser from', async () => {
  await using user = await launchUserBrowser()
  const visitor = await user.context.newPage()
  let connections = 0
  const counter = createServer((_request, response) => void response.end())
  counter.on('connection', () => (connections += 1))
  counter.listen(0, '127.0.0.1')
  await once(counter, 'listening')
  const address = counter.address()
  const html = aheadOf(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`)
  try {
    await visitor.setContent(html)
    await until('the browser to connect where the page stands alone', () => connections > 0)
    const before = connections
    await visitor.goto(`${toolhaven.daemon().baseUrl}/servers/evil/try?tool=give`)
    const content = [{ type: 'resource', resource: { uri: 'ui://ahead', mimeType: 'text/html', text: html } }]
    await visitor.getByRole('textbox', { name: 'Raw JSON' }).fill(JSON.stringify({ result: { content } }))
    // A browser connects as soon as it has read the page, long before the second answer.
    for (const count of [1, 2]) {
      await visitor.getByRole('button', { name: 'Call', exact: true }).click()
      await visitor.frameLocator('iframe').first().getByText('Nothing to see').waitFor()
      await expect
        .poll(() =>
          visitor
            .getByRole('article')
            .getByText(/answered$/)
            .count(),
        )
        .toBe(count)
    }
    expect(connections).toBe(before)
  } finally {
    counter.close()
  }
})

test('a result with many parts or deep JSON is shown in part, and the page goes on', async () => {
  const deep = '['.repeat(3_000) + ']'.repeat(3_000)
  const texts = [...Array.from({ length: 20 }, () => deep), ...Array.from({ length: 980 }, () => 'short')]
  const result = await giveResult(texts.map((text) => ({ type: 'text', text })))
  await result.getByText('These are the first 200 of 1,000 parts.').waitFor()
  expect(await result.getByRole('group', { name: 'Text' }).count()).toBe(200)
})
