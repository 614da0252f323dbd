import { describe, expect, test } from 'vitest'
import { CONSOLE_TOKEN_HEADER, consoleLink, consoleSession } from '@toolhaven/contract/console'
import { type FakeDaemon, type FakeDaemonParts, startFakeDaemon } from '@toolhaven/fakes/fake-daemon'
import { ask, done, scenario } from '@toolhaven/testing/scenario'

const TOKEN = 'let-me-in-please'
const SAME = { 'sec-fetch-site': 'same-origin' }
const closed = (parts: FakeDaemonParts = {}) => startFakeDaemon({ token: TOKEN, ...parts })

async function makeCode(fake: FakeDaemon): Promise<string> {
  const response = await ask(fake, 'POST /api/v1beta/console/logins', { overSocket: true })
  expect(response.status).toBe(201)
  const { url } = consoleLink.parse(await response.json())
  expect(url).toMatch(/^http:\/\/localhost:8080\/#login=[0-9a-f]{64}$/)
  return url.split('=')[1] ?? ''
}

interface Browser {
  cookie: string
  token: string
}

const enter = (fake: FakeDaemon, body: object, headers: Record<string, string> = SAME) =>
  ask(fake, 'POST /api/v1beta/console/session', { body, headers })

async function logIn(fake: FakeDaemon, body?: object): Promise<Browser> {
  const response = await enter(fake, body ?? { code: await makeCode(fake) })
  expect(response.status).toBe(200)
  const set = response.headers.get('set-cookie') ?? ''
  expect(set).toMatch(/; HttpOnly; SameSite=Strict$/)
  const { login, token = '' } = consoleSession.parse(await response.json())
  expect(login).toBe('done')
  return { cookie: set.split(';')[0] ?? '', token }
}

const headersOf = ({ cookie, token }: Browser) => ({ cookie, ...SAME, [CONSOLE_TOKEN_HEADER]: token })

const statusOf = async (fake: FakeDaemon, headers: Record<string, string>) =>
  (await ask(fake, 'GET /api/v1beta/groups', { headers })).status

describe('where no token is needed', () => {
  scenario('the console opens without a login', {
    request: 'GET /api/v1beta/console/session',
    answers: { status: 200, json: { login: 'not-needed' } },
  })
  scenario('a link has no code', {
    request: 'POST /api/v1beta/console/logins',
    overSocket: true,
    answers: { status: 201, json: { url: 'http://localhost:8080/' } },
  })
  scenario('a link is made over the socket only', {
    request: 'POST /api/v1beta/console/logins',
    answers: { status: 405, text: /^POST is not possible here; use DELETE, GET/ },
  })
})

describe('a login', () => {
  test('opens the API to this browser, on its own page only', async () => {
    using fake = await closed()
    const browser = await logIn(fake)
    const all = headersOf(browser)
    expect(await statusOf(fake, all)).toBe(200)
    expect(await statusOf(fake, { cookie: browser.cookie })).toBe(403)
    expect(await statusOf(fake, { ...all, 'sec-fetch-site': 'same-site' })).toBe(403)
    expect(await statusOf(fake, { cookie: browser.cookie, ...SAME })).toBe(403)
    expect(await statusOf(fake, { ...all, [CONSOLE_TOKEN_HEADER]: 'x'.repeat(64) })).toBe(403)
    expect(await statusOf(fake, { ...all, cookie: browser.cookie.replace(/.$/, 'x') })).toBe(403)
    expect(await statusOf(fake, { ...all, host: 'localhost:9999' })).toBe(403)
  })

  test('is found again after a reload and by the next daemon', async () => {
    using fake = await closed()
    const browser = await logIn(fake)
    const request = 'GET /api/v1beta/console/session'
    const again = async (daemon: FakeDaemon, headers: Record<string, string>) =>
      consoleSession.parse(await (await ask(daemon, request, { headers })).json())
    expect(await again(fake, { cookie: browser.cookie, ...SAME })).toMatchObject({
      login: 'done',
      token: browser.token,
    })
    expect(await again(fake, { cookie: browser.cookie })).toEqual({ login: 'needed' })
    expect(await again(fake, SAME)).toEqual({ login: 'needed' })
    using next = await closed({ consoleLoginStore: fake.consoleLoginStore })
    expect(await statusOf(next, headersOf(browser))).toBe(200)
    using other = await closed({ consoleLoginStore: fake.consoleLoginStore, token: 'another-token-now' })
    expect(await statusOf(other, headersOf(browser))).toBe(403)
  })

  test('is not lost to cookies of the same name that a page on another port sets', async () => {
    using fake = await closed()
    const browser = await logIn(fake)
    const [name] = browser.cookie.split('=')
    // A browser sends the cookies with the longest paths first.
    const cookie = `${name}=${'0'.repeat(64)}; other=1; ${name}=; ${browser.cookie}`
    const headers = { ...headersOf(browser), cookie }
    expect(await statusOf(fake, headers)).toBe(200)
    const session = await ask(fake, 'GET /api/v1beta/console/session', { headers: { cookie, ...SAME } })
    expect(await session.json()).toMatchObject({ login: 'done', token: browser.token })
    expect((await ask(fake, 'DELETE /api/v1beta/console/session', { headers })).status).toBe(204)
    expect(await statusOf(fake, headersOf(browser))).toBe(403)
  })

  test('is looked for in 20 cookies only', async () => {
    using fake = await closed()
    const browser = await logIn(fake)
    const others = Array.from({ length: 20 }, () => `${browser.cookie.split('=')[0]}=x; `).join('')
    expect(await statusOf(fake, { ...headersOf(browser), cookie: others + browser.cookie })).toBe(403)
  })

  test('takes the token of the API as well, and no other', async () => {
    using fake = await closed()
    expect(await statusOf(fake, headersOf(await logIn(fake, { token: TOKEN })))).toBe(200)
    expect((await enter(fake, { token: `${TOKEN}e` })).status).toBe(403)
    expect((await enter(fake, { token: TOKEN }, {})).status).toBe(403)
    expect((await enter(fake, { token: TOKEN, code: 'x' })).status).toBe(400)
  })

  test('over plain HTTP elsewhere than at localhost says what to do', async () => {
    using fake = await closed({ allowedHosts: ['box.example'] })
    const refusal = async (headers: Record<string, string>) => (await enter(fake, { token: TOKEN }, headers)).text()
    // Browsers do not send Sec-Fetch-Site there.
    expect(await refusal({ host: 'box.example:8080' })).toMatch(
      /HTTPS.*"ssh -L 8080:box\.example:8080 box\.example".*localhost:8080/,
    )
    expect(await refusal({ host: 'localhost:8080' })).toMatch(/^only the console itself/)
    expect(await refusal({ host: 'box.example:8080', 'sec-fetch-site': 'none' })).toMatch(/^only the console itself/)
  })

  test('by a link works once and for 60 seconds', async () => {
    using fake = await closed()
    const code = await makeCode(fake)
    await logIn(fake, { code })
    expect((await enter(fake, { code })).status).toBe(403)
    const late = await makeCode(fake)
    await fake.clock.advance(60_000)
    expect((await enter(fake, { code: late })).status).toBe(403)
    expect((await enter(fake, { code: '0'.repeat(64) })).status).toBe(403)
  })

  test('ends after 30 days, when it is left, and when it is taken back', async () => {
    using fake = await closed()
    const [old, left, taken, all] = [await logIn(fake), await logIn(fake), await logIn(fake), await logIn(fake)]
    await ask(fake, 'DELETE /api/v1beta/console/session', { headers: headersOf(left) })
    expect(await statusOf(fake, headersOf(left))).toBe(403)
    const admin = { overSocket: true }
    const list = async () => JSON.parse(await (await ask(fake, 'GET /api/v1beta/console/logins', admin)).text()).logins
    expect(await list()).toHaveLength(3)
    const before = new Set([...fake.consoleLoginStore.records.keys()])
    const [{ id }] = await list()
    expect(before.has(id)).toBe(true)
    expect((await ask(fake, `DELETE /api/v1beta/console/logins/${id}`, admin)).status).toBe(204)
    expect((await ask(fake, `DELETE /api/v1beta/console/logins/${id}`, admin)).status).toBe(404)
    const open = async () =>
      (await Promise.all([old, taken, all].map((each) => statusOf(fake, headersOf(each))))).filter(
        (status) => status === 200,
      )
    expect(await open()).toHaveLength(2)
    expect((await ask(fake, 'DELETE /api/v1beta/console/logins', admin)).status).toBe(204)
    expect(await open()).toHaveLength(0)
    const last = await logIn(fake)
    await fake.clock.advance(30 * 24 * 60 * 60 * 1000)
    expect(await statusOf(fake, headersOf(last))).toBe(403)
  })

  test.each([
    ['', {}],
    [', also with a token for a workload', { authorization: 'Bearer of-a-workload' }],
  ])('that is taken back ends what it still follows%s', async (_, extra) => {
    using fake = await closed()
    const [one, other] = [await logIn(fake), await logIn(fake)]
    const follow = async (browser: Browser) => {
      const { body } = await ask(fake, 'GET /api/v1beta/events', { headers: { ...headersOf(browser), ...extra } })
      const reader = body?.pipeThrough(new TextDecoderStream()).getReader()
      const read = async () => (await reader?.read())?.value
      expect(await read()).toBe(': open\n\n')
      return read
    }
    const [readOne, readOther] = [await follow(one), await follow(other)]
    const outcome = readOne().then(
      () => 'goes on',
      () => 'broke off',
    )
    await ask(fake, 'DELETE /api/v1beta/console/session', { headers: headersOf(one) })
    expect(await outcome).toBe('broke off')
    const body = { name: 'web', image: 'npx://web@1.0.0' }
    await ask(fake, 'POST /api/v1beta/workloads', { body, headers: headersOf(other) })
    expect(await readOther()).toContain('web')
  })

  test('leaves nothing on the disk that opens the API', async () => {
    using fake = await closed()
    const { cookie, token } = await logIn(fake)
    const stored = JSON.stringify([...fake.consoleLoginStore.records.values()])
    for (const secret of [cookie.split('=')[1] ?? '', token, TOKEN]) expect(stored).not.toContain(secret)
  })
})

describe('without a login', () => {
  test('the files of the console are given, and nothing of the API', async () => {
    using fake = await closed()
    expect((await ask(fake, 'GET /', { headers: { accept: 'text/html' } })).status).toBe(200)
    for (const path of [
      '/health',
      '/api/openapi.json',
      '/api/v1beta/workloads',
      '/api/v1beta/console/logins',
      '/api/x',
    ])
      expect((await ask(fake, `GET ${path}`)).status).toBe(403)
    expect((await ask(fake, 'DELETE /api/v1beta/console/session')).status).toBe(403)
    expect((await ask(fake, 'GET /', { headers: { host: 'evil.example' } })).status).toBe(403)
  })
})

describe('calls from the page', () => {
  const PATH = '/api/v1beta/workloads/web/mcp'
  const web = (fake: FakeDaemon) => done(fake, 'POST /api/v1beta/workloads', { name: 'web', image: 'npx://web@1.0.0' })

  const REQUESTS = [
    'POST /api/v1beta/workloads/web/mcp',
    'GET /api/v1beta/workloads/web/mcp',
    'DELETE /api/v1beta/workloads/web/mcp',
  ]

  test.each(REQUESTS)('%s reaches the port of the workload', async (request) => {
    const [method] = request.split(' ')
    using fake = await startFakeDaemon()
    await web(fake)
    const { port } = fake.daemon.workloads.book.get('web').stored
    const response = await ask(fake, request, method === 'POST' ? { body: { jsonrpc: '2.0' } } : {})
    expect(await response.text()).toBe(`${method} http://127.0.0.1:${port}/mcp`)
  })

  test('of another site are refused', async () => {
    using fake = await startFakeDaemon()
    await web(fake)
    const headers = { 'sec-fetch-site': 'same-site', origin: 'http://localhost:3000' }
    expect((await ask(fake, `POST ${PATH}`, { body: {}, headers })).status).toBe(403)
  })

  scenario('to an unknown workload', {
    request: 'GET /api/v1beta/workloads/ghost/mcp',
    answers: { status: 404, text: /^workload ghost not found/ },
  })
  scenario('to a workload that is stopped', {
    given: async (fake) => {
      await web(fake)
      await done(fake, 'POST /api/v1beta/workloads/web/stop')
    },
    request: `GET ${PATH}`,
    answers: { status: 409, text: /^workload web cannot be reached: it is stopped/ },
  })
})
