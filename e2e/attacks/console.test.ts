import { CONSOLE_TOKEN_HEADER } from '@toolhaven/contract/console'
import type { Build } from '../src/attacks/build.ts'
import { describeAttack } from '../src/attacks/describe-attack.ts'
import type { DaemonProcess } from '../src/daemon-process.ts'
import { type Home, makeHome } from '../src/home.ts'
import { rawCall } from '../src/raw-call.ts'
import { socketOf } from '../src/socket-of.ts'

const API = '/api/v1beta'
const SESSION = `${API}/console/session`
const SAME = { 'sec-fetch-site': 'same-origin' }
/** What a browser says about a page on another port of this host, whose requests carry this host's cookies. */
const OTHER_PORT = { origin: 'http://localhost:3000', 'sec-fetch-site': 'same-site' }
const PAGE = { accept: 'text/html' }

const FETCH_SITE = {
  file: 'packages/core/src/guard/check-request.ts',
  find: '    checkFetchSite(request.secFetchSite) ??\n',
  replace: '',
}
const SAME_ORIGIN = {
  file: 'packages/api/src/console-cookie.ts',
  find: "  return request.headers.get('sec-fetch-site') === 'same-origin'",
  replace: '  return request !== undefined',
}

interface Victim extends AsyncDisposable {
  home: Home
  daemon: DaemonProcess
  /** The code of a link, made as the user makes one. */
  makeCode: () => Promise<string>
  enter: (code: string, headers?: Record<string, string>) => Promise<Response>
}

/** A daemon that requires a token. */
async function openVictim(build: Build): Promise<Victim> {
  await using cleanUp = new AsyncDisposableStack()
  const env = { THV_RUNTIME: 'process', THV_API_TOKEN: 'a-token-of-the-victim' }
  const home = cleanUp.use(await makeHome({ env }))
  const daemon = cleanUp.use(await build.start(home))
  const kept = cleanUp.move()
  return {
    home,
    daemon,
    makeCode: async () => {
      const { body } = await rawCall({ socketPath: await socketOf(home) }, `${API}/console/logins`, { method: 'POST' })
      return /#login=(\w+)/.exec(body)?.[1] ?? ''
    },
    enter: (code, headers = SAME) =>
      fetch(`${daemon.baseUrl}${SESSION}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ code }),
      }),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

async function logIn({ makeCode, enter }: Victim): Promise<{ cookie: string; token: string }> {
  const response = await enter(await makeCode())
  const answer: unknown = await response.json()
  const token = String(Object(answer).token)
  return { cookie: (response.headers.get('set-cookie') ?? '').split(';')[0] ?? '', token }
}

describeAttack('a page on another port that uses the cookie of the console', {
  defence: 'the token of the page and what the browser says of a request',
  weaknesses: [
    FETCH_SITE,
    SAME_ORIGIN,
    {
      file: 'packages/api/src/console-cookie.ts',
      find: 'if (await logins.isAdmitted(cookie, pageToken))',
      replace: 'if ((await logins.pageOf(cookie)) !== undefined)',
    },
  ],
  attack: async (build) => {
    await using victim = await openVictim(build)
    const { daemon } = victim
    const { cookie } = await logIn(victim)
    const call = { method: 'POST', body: '{"name":"made-by-a-page"}' }
    const guess = { [CONSOLE_TOKEN_HEADER]: 'guessed', 'content-type': 'application/json' }
    const headers = { cookie, ...OTHER_PORT, ...guess }
    const { status: made } = await rawCall({ port: daemon.port }, `${API}/groups`, { ...call, headers })
    const { body } = await rawCall({ port: daemon.port }, SESSION, { headers: { cookie, ...OTHER_PORT } })
    return { 'a group is made': made === 201, 'the page learns the token': body.includes('"token"') }
  },
})

describeAttack('a link to the console that was used before', {
  defence: 'that a code works once',
  weaknesses: [
    {
      file: 'packages/core/src/console/console-logins.ts',
      find: '    this.#codes.delete(hash)\n',
      replace: '',
    },
  ],
  attack: async (build) => {
    await using victim = await openVictim(build)
    const code = await victim.makeCode()
    await victim.enter(code)
    return { 'another browser logs in': (await victim.enter(code)).status === 200 }
  },
})

describeAttack('a link to the console that is stolen from the output of the daemon', {
  defence: 'that only a terminal is shown a code',
  weaknesses: [
    {
      file: 'apps/cli/src/daemon/serve.ts',
      find: '  if (!process.stdout.isTTY) return',
      replace: '  if (!logins) return',
    },
  ],
  attack: async (build) => {
    await using victim = await openVictim(build)
    const code = /#login=(\w+)/.exec(victim.daemon.output())?.[1]
    return { 'the code logs in': code !== undefined && (await victim.enter(code)).status === 200 }
  },
})

describeAttack('codes of links that are guessed', {
  defence: 'that a code must have been made',
  weaknesses: [
    {
      file: 'packages/core/src/console/console-logins.ts',
      find: 'if (ends === undefined || ends <= this.#deps.clock.now())',
      replace: 'if (ends !== undefined && ends <= this.#deps.clock.now())',
    },
  ],
  attack: async (build) => {
    await using victim = await openVictim(build)
    const code = await victim.makeCode()
    const guesses: Record<string, string> = {
      nothing: '',
      'a code of zeros': '0'.repeat(64),
      'the beginning of a code': code.slice(0, 63),
      'a code and more': `${code}0`,
      'a code in capitals': code.toUpperCase().replace(/^\d+$/, 'A'),
    }
    const gains: Record<string, boolean> = {}
    for (const [what, guess] of Object.entries(guesses)) gains[what] = (await victim.enter(guess)).status === 200
    return gains
  },
})

describeAttack('a page whose name leads to the console (DNS rebinding)', {
  defence: 'the check of the Host header',
  weaknesses: [
    {
      file: 'packages/core/src/guard/check-request.ts',
      find: "if (isAllowed(parsed, policy)) return undefined\n  return refuse(\n    403,\n    'This Host",
      replace: "if (isAllowed(parsed, policy) || parsed) return undefined\n  return refuse(\n    403,\n    'This Host",
    },
  ],
  attack: async (build) => {
    await using victim = await openVictim(build)
    const { port } = victim.daemon
    const host = `evil.example:${port}`
    const opened = await rawCall({ port }, '/', { headers: { ...PAGE, host } })
    const session = await rawCall({ port }, SESSION, { headers: { ...SAME, host } })
    return { 'the page is given': opened.status !== 403, 'the session is told': session.status === 200 }
  },
})

describeAttack('a page of another site that opens addresses of the daemon', {
  defence: 'that a followed link shows a page with nothing in it',
  weaknesses: [
    {
      file: 'packages/api/src/app.ts',
      find: 'if (barred) return pageForVisitor(context.req.raw, options) ?? barred',
      replace: "if (barred && context.req.header('sec-fetch-mode') !== 'navigate') return barred",
    },
  ],
  attack: async (build) => {
    await using home = await makeHome({ env: { THV_RUNTIME: 'process' } })
    await using daemon = await build.start(home)
    const { port } = daemon
    const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
    const ask = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
      rawCall({ port }, path, { method, headers: { ...PAGE, ...link, ...headers } })
    const data = await Promise.all(
      [`${API}/workloads`, `${API}/events`, SESSION, '/health', '/api/openapi.json'].map((path) => ask(path)),
    )
    const shown = await ask('/servers?q=<b>')
    return {
      'the API answers': data.some(({ status }) => status !== 403),
      'more than a static page is shown': shown.status !== 200 || /<script|<b>|<form/.test(shown.body),
      'a frame is given a page': (await ask('/', { 'sec-fetch-dest': 'iframe' })).status !== 403,
      'a form is answered': (await ask('/', {}, 'POST')).status !== 403,
      'a name that leads here is answered': (await ask('/', { host: `evil.example:${port}` })).status !== 403,
    }
  },
})

describeAttack('a page that holds the console in a frame (clickjacking)', {
  defence: 'the headers that forbid frames',
  weaknesses: [
    { file: 'apps/cli/src/console/page-headers.ts', find: '    "frame-ancestors \'none\'",\n', replace: '' },
    { file: 'apps/cli/src/console/page-headers.ts', find: "    'x-frame-options': 'DENY',\n", replace: '' },
  ],
  attack: async (build) => {
    await using victim = await openVictim(build)
    const { headers } = await fetch(`${victim.daemon.baseUrl}/`, { headers: PAGE })
    return {
      'a browser of today shows it': !(headers.get('content-security-policy') ?? '').includes("frame-ancestors 'none'"),
      'an older browser shows it': headers.get('x-frame-options') !== 'DENY',
    }
  },
})
