import { createServer } from 'node:http'
import { startLoginProvider } from '@toolhaven/testing/testbed/login-provider'
import { startProtectedServer } from '@toolhaven/testing/testbed/protected-server'
import { until } from '@toolhaven/testing/testbed/until'
import type { DaemonProcess } from '../src/daemon-process.ts'
import { describeAttack } from '../src/attacks/describe-attack.ts'
import { makeHome } from '../src/home.ts'

/** Where a login must never send a person. */
const ENDPOINTS = [
  'javascript:alert(1)',
  'file:///etc/passwd',
  'data:text/html,hello',
  'vscode://extension/install',
  'http://evil.example/authorize',
  'https://user:password@evil.example/authorize',
]

interface Description {
  authorization_endpoint?: string
  code_challenge_methods_supported?: string[]
}

/** An authorization server whose metadata is what the test says. */
async function startHostileProvider() {
  let description: Description = {}
  const server = createServer((_request, response) => {
    const metadata = {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      ...description,
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(metadata))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a TCP listener has a port')
  const issuer = `http://127.0.0.1:${address.port}`
  return {
    issuer,
    say: (said: Description) => void (description = said),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** The address that people are told to open. Undefined when there is none. */
async function offeredLogin(daemon: DaemonProcess, name: string, url: string): Promise<string | undefined> {
  await daemon.api.call('createWorkload', {
    body: { name, url, oauth_config: { client_id: 'known' }, accept_network: true },
  })
  const context = await until('the server to be asked', async () => {
    const { status, status_context: said } = await daemon.api.call('getWorkload', { params: { name } })
    return status === 'error' || said.includes('needs login') || said.includes('names no usable') ? said : undefined
  })
  return /needs login: (\S+)/.exec(context)?.[1]
}

describeAttack('hostile words about a login', {
  defence: 'the judgement of what a server says of its login',
  weaknesses: [
    {
      file: 'packages/gateway/src/login/login-fetch.ts',
      find: 'if (!isGood || !isSafe) throw unavailable(',
      replace: 'if (url === null) throw unavailable(',
    },
    {
      file: 'packages/gateway/src/login/discover.ts',
      find: "if (!server.code_challenge_methods_supported?.includes('S256'))",
      replace: 'if (server === undefined)',
    },
    {
      file: 'packages/gateway/src/login/callback-listener.ts',
      find: "const HOST = '127.0.0.1'",
      replace: "const HOST = '0.0.0.0'",
    },
    {
      file: 'packages/gateway/src/login/callback-listener.ts',
      find: 'const text = message.replaceAll(/[<>&"\']/g, (character) => `&#${character.charCodeAt(0)};`)',
      replace: 'const text = message',
    },
  ],
  attack: async (build) => {
    await using provider = await startLoginProvider()
    await using hostile = await startHostileProvider()
    await using server = await startProtectedServer(provider)
    await using home = await makeHome({ env: { THV_RUNTIME: 'process' } })
    await using daemon = await build.start(home)
    server.change({ metadata: { resource: server.url, authorization_servers: [hostile.issuer] } })
    const gains: Record<string, boolean> = {}
    for (const [at, endpoint] of ENDPOINTS.entries()) {
      hostile.say({ authorization_endpoint: endpoint })
      const login = await offeredLogin(daemon, `endpoint-${at}`, server.url)
      gains[`a person is sent to ${endpoint}`] = login !== undefined
    }
    hostile.say({ code_challenge_methods_supported: ['plain'] })
    gains['a login without PKCE is offered'] = (await offeredLogin(daemon, 'weak', server.url)) !== undefined
    hostile.say({})
    const login = new URL((await offeredLogin(daemon, 'honest', server.url)) ?? '')
    const back = new URL(login.searchParams.get('redirect_uri') ?? '')
    gains['the callback is open to other addresses'] = await fetch(`http://127.0.0.2:${back.port}/`).then(
      () => true,
      () => false,
    )
    const state = login.searchParams.get('state') ?? ''
    const said = { error: 'access_denied', error_description: '<script>alert(1)</script>' }
    back.search = new URLSearchParams({ state, iss: hostile.issuer, ...said }).toString()
    gains['the page of the callback runs a script'] = (await (await fetch(back)).text()).includes('<script>')
    return gains
  },
})
