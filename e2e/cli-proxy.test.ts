import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import {
  RESOURCE_SERVER,
  startIdentityProvider,
  type IdentityProvider,
} from '@toolhaven/testing/testbed/identity-provider'
import { type CliWorld, openCliWorld } from './src/cli-world.ts'
import { callText, connectMcp } from './src/mcp-client.ts'
import { startThv } from './src/running-thv.ts'
import { thv as runThv } from './src/thv.ts'

const GUARDED = 'https://guarded.example.com'
const NOTES = 'https://notes.example.com'

let world: CliWorld
let provider: IdentityProvider
beforeAll(async () => {
  world = await openCliWorld()
  provider = await startIdentityProvider()
})
afterEach(() => world.removeAll())
afterAll(async () => {
  await provider[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
})

const thv = (...args: string[]) => runThv(world.home, args)
const start = (...args: string[]) => startThv(world.home, args)
/** The address that it prints once it is ready. */
const addressOf = async (running: ReturnType<typeof start>) => (await running.says(/http:\S+/))[0]
const file = (name: string) => join(world.home.dir, name)

async function runTime(): Promise<string> {
  const { stdout } = await thv('run', 'time')
  return /http\S+/.exec(stdout)?.[0] ?? ''
}

async function statusOf(url: string, token?: string, headers: Record<string, string> = {}): Promise<number> {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } }
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }),
  })
  await response.body?.cancel()
  return response.status
}

async function callWithToken(url: string, token: string): Promise<unknown> {
  const client = new Client({ name: 't', version: '1' })
  const requestInit = { headers: { authorization: `Bearer ${token}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }))
  const { content } = await client.callTool({ name: 'add', arguments: { a: 20, b: 22 } })
  await client.close()
  return content
}

describe('a workload with oidc', () => {
  test('is used with a token of its provider and in no other way, also after a restart', async () => {
    const body = {
      name: 'guarded',
      image: world.fixture,
      oidc: { issuer: provider.issuer, audience: GUARDED, allow_private_ip: true },
    }
    await world.daemon.api.call('createWorkload', { body })
    await thv('restart', 'guarded')
    const { url } = await world.daemon.api.call('getWorkload', { params: { name: 'guarded' } })
    expect(await statusOf(url)).toBe(401)
    expect(await statusOf(url, await provider.token({ audience: 'http://127.0.0.1/' }))).toBe(401)
    expect(await callWithToken(url, await provider.token({ audience: GUARDED }))).toMatchObject([{ text: '42' }])
    await world.daemon.api.call('editWorkload', { params: { name: 'guarded' }, body: { oidc: null } })
    await expect.poll(() => statusOf(url), { timeout: 60_000 }).toBe(200)
  })

  test('does not follow an issuer to a private address unless it is allowed', async () => {
    const issuer = `https://127.0.0.1:${new URL(provider.issuer).port}`
    await world.daemon.api.call('createWorkload', { body: { name: 'guarded', image: world.fixture, oidc: { issuer } } })
    await thv('restart', 'guarded')
    const { url } = await world.daemon.api.call('getWorkload', { params: { name: 'guarded' } })
    const asked = provider.requests.length
    const token = await provider.token({ audience: new URL(url).origin })
    expect(await statusOf(url, token)).toBe(503)
    expect(provider.requests.slice(asked)).toEqual(['/token'])
  })
})

describe('thv proxy', () => {
  test('serves a server at another address until Ctrl-C', async () => {
    const target = await runTime()
    await using running = start('proxy', 'notes', '--target-uri', target)
    const [line, url = ''] = await running.says(/^notes listens at (http:\/\/127\.0\.0\.1:\d+\/mcp)\n$/)
    {
      await using connection = await connectMcp(url)
      expect(await callText(connection, 'add', { a: 20, b: 22 })).toBe('42')
    }
    await using older = await connectMcp(url.replace(/mcp$/, 'sse'))
    expect(await older.toolNames()).toContain('add')
    expect(await statusOf(url, undefined, { origin: 'https://evil.example.com' })).toBe(403)
    expect(await running.interrupt()).toEqual({ code: 0, stdout: line, stderr: '' })
    await expect(statusOf(url)).rejects.toThrow()
  })

  test('lets in who has a token, signed or not, and keeps it from the server', async () => {
    const target = await runTime()
    await writeFile(file('client.txt'), `${RESOURCE_SERVER.secret}\n`)
    await using running = start(
      ...['proxy', 'notes', '--target-uri', target, '--format', 'json', '--oidc-issuer', provider.issuer],
      ...['--oidc-audience', NOTES, '--oidc-allow-private-ip'],
      ...['--oidc-introspection-url', provider.introspectionUrl, '--oidc-client-id', RESOURCE_SERVER.id],
      ...['--oidc-client-secret-file', 'client.txt'],
    )
    const [said] = await running.says(/^\{[^]*\}\n$/)
    const printed: { url: string } = JSON.parse(said)
    const { url, ...rest } = printed
    expect(rest).toEqual({ name: 'notes', target, authenticated: true })
    expect(await statusOf(url)).toBe(401)
    for (const kind of ['ES256', 'opaque'] as const)
      expect(await callWithToken(url, await provider.token({ audience: NOTES, kind }))).toMatchObject([{ text: '42' }])
    expect(await statusOf(url, await provider.token({ audience: GUARDED }))).toBe(401)
    const metadata = await fetch(new URL('/.well-known/oauth-protected-resource', url))
    expect(await metadata.json()).toMatchObject({ authorization_servers: [provider.issuer] })
  })

  test('gives the server the token it wants, of a file or a stored secret', async () => {
    const body = {
      name: 'guarded',
      image: world.fixture,
      oidc: { issuer: provider.issuer, audience: GUARDED, allow_private_ip: true },
    }
    await world.daemon.api.call('createWorkload', { body })
    await thv('restart', 'guarded')
    const { url: target } = await world.daemon.api.call('getWorkload', { params: { name: 'guarded' } })
    await writeFile(file('bearer.txt'), `${await provider.token({ audience: GUARDED })}\n`)
    await using running = start('proxy', 'notes', '--target-uri', target, '--target-bearer-file', 'bearer.txt')
    await using connection = await connectMcp(await addressOf(running))
    expect(await callText(connection, 'add', { a: 20, b: 22 })).toBe('42')

    await runThv(world.home, ['secret', 'setup', '--provider', 'encrypted'], { input: 'a good password\n' })
    const value = `Bearer ${await provider.token({ audience: GUARDED })}\n`
    await runThv(world.home, ['secret', 'set', 'guarded-token'], { input: value })
    const secret = ['--target-header-secret', 'Authorization=guarded-token']
    await using other = start('proxy', 'notes', '--target-uri', target, ...secret)
    await using second = await connectMcp(await addressOf(other))
    expect(await callText(second, 'add', { a: 20, b: 22 })).toBe('42')
    expect(await thv('proxy', 'notes', '--target-uri', target)).toMatchObject({ code: 4, stdout: '' })
  })

  test('says what is wrong with what it is given', async () => {
    const target = ['--target-uri', 'http://127.0.0.1:9/mcp']
    const wrong: [string[], number, RegExp][] = [
      [[], 2, /--target-uri is missing/],
      [['--target-uri', 'nowhere'], 2, /must be an http or https address/],
      [['--target-uri', 'http://a:b@127.0.0.1/'], 2, /must not contain a password/],
      [[...target, '--host', '0.0.0.0'], 2, /would let everybody on the network use the server/],
      [[...target, '--oidc-audience', 'x'], 2, /set --oidc-issuer or --oidc-jwks-url/],
      [[...target, '--oidc-issuer', 'http://127.0.0.1:9'], 2, /must use https/],
      [
        [...target, '--oidc-issuer', 'https://a.example', '--oidc-client-secret-file', 'gone'],
        2,
        /gone could not be read/,
      ],
      [[...target, '--target-header', 'x'], 2, /KEY=VALUE/],
    ]
    for (const [args, code, text] of wrong) {
      const result = await thv('proxy', 'notes', ...args)
      expect(result, args.join(' ')).toMatchObject({ code, stdout: '' })
      expect(result.stderr).toMatch(text)
    }
  })
})

describe('thv proxy tunnel', () => {
  test('refuses what lets everybody in, and opens the rest', async () => {
    const url = await runTime()
    for (const target of ['time', url]) {
      const refused = await thv('proxy', 'tunnel', target, '--tunnel-provider', 'local')
      expect(refused).toMatchObject({ code: 1, stdout: '' })
      expect(refused.stderr).toMatch(/accepts every caller.*\nRequire a token first/)
    }
    await using running = start('proxy', 'tunnel', 'time', '--tunnel-provider', 'local', '--allow-unauthenticated')
    const [, address = ''] = await running.says(/^time is reachable at (http:\/\/127\.0\.0\.1:\d+\/mcp)\n$/)
    expect(address).not.toBe(url)
    {
      await using connection = await connectMcp(address)
      expect(await callText(connection, 'add', { a: 20, b: 22 })).toBe('42')
    }
    expect(await statusOf(address, undefined, { origin: 'https://evil.example.com' })).toBe(403)
    expect(await running.terminate()).toMatchObject({ code: 0, stderr: '' })
    await expect(statusOf(address)).rejects.toThrow()
  })

  test('opens what asks for a token without more ado', async () => {
    const oidc = { issuer: provider.issuer, audience: GUARDED, allow_private_ip: true }
    await world.daemon.api.call('createWorkload', { body: { name: 'guarded', image: world.fixture, oidc } })
    await thv('restart', 'guarded')
    await using running = start('proxy', 'tunnel', 'guarded', '--tunnel-provider', 'local')
    const address = await addressOf(running)
    expect(await statusOf(address)).toBe(401)
    expect(await callWithToken(address, await provider.token({ audience: GUARDED }))).toMatchObject([{ text: '42' }])
  })

  test('drives ngrok’s package where it is installed, and says how to install it where not', async () => {
    await runTime()
    const ngrok = ['proxy', 'tunnel', 'time', '--tunnel-provider', 'ngrok', '--allow-unauthenticated']
    expect(await thv(...ngrok)).toMatchObject({ code: 2, stderr: expect.stringContaining('NGROK_AUTHTOKEN') })
    const env = { NGROK_AUTHTOKEN: 'canary-token' }
    const missing = await runThv(world.home, ngrok, { env })
    expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining('npm install -g @ngrok/ngrok') })
    await writeStandIn()
    const args = ['--provider-args', '{"url":"https://time.example.com"}']
    const home = { ...world.home, env: { ...world.home.env, ...env } }
    await using running = startThv(home, [...ngrok, ...args])
    await running.says(/^time is reachable at https:\/\/time\.example\.com\/mcp\n.*\}/)
    const ended = await running.interrupt()
    // What the fake saw. Through the address that it got, the server answers only to the public name.
    const seen = { authtoken: 'canary-token', domain: 'time.example.com', metadata: 'time', known: 200, unknown: 403 }
    expect(ended).toMatchObject({ code: 0, stderr: `${JSON.stringify(seen)}\nclosed\n` })
    for (const wrong of ['{"authToken":"x"}', '{', '[]'])
      expect(await runThv(world.home, [...ngrok, '--provider-args', wrong], { env })).toMatchObject({ code: 2 })
  })
})

test('names that nobody has are errors', async () => {
  await runTime()
  for (const args of [
    ['proxy', 'tunnel', 'tine', '--tunnel-provider', 'local'],
    ['proxy', 'stdio', 'tine'],
  ]) {
    const result = await thv(...args)
    expect(result).toMatchObject({ code: 3, stdout: '' })
    expect(result.stderr).toContain('time')
  }
  expect(await thv('proxy', 'tunnel', 'time')).toMatchObject({ code: 2 })
  expect(await thv('proxy', 'tunnel', 'time', '--tunnel-provider', 'carrier-pigeon')).toMatchObject({ code: 2 })
})

/** A package with the interface of ngrok's, which opens nothing and reports what it was asked. */
async function writeStandIn(): Promise<void> {
  const folder = file('node_modules/@ngrok/ngrok')
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'package.json'), '{"name":"@ngrok/ngrok","version":"1.0.0","main":"index.js"}')
  await writeFile(
    join(folder, 'index.js'),
    `const http = require('node:http')
    const health = (addr, host) => new Promise((resolve) =>
      http.get('http://' + addr + '/health', { headers: { host } }, (answer) => resolve(answer.resume().statusCode)))
    exports.forward = async ({ addr, authtoken, domain, metadata }) => {
      setTimeout(async () => {
        const [known, unknown] = [await health(addr, domain), await health(addr, 'evil.example.com')]
        process.stderr.write(JSON.stringify({ authtoken, domain, metadata, known, unknown }) + '\\n')
      }, 200)
      return { url: () => 'https://' + domain, close: async () => void process.stderr.write('closed\\n') }
    }`,
  )
}
