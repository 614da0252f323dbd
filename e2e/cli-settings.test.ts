import { once } from 'node:events'
import { createServer } from 'node:http'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { clientResponse, clientStatusList, registeredClient } from '@toolhaven/contract/clients'
import { groupList } from '@toolhaven/contract/groups'
import { registryInfo } from '@toolhaven/contract/registry'
import { providerDetails, secretList, secretValue } from '@toolhaven/contract/secrets'
import { runtimeReport } from '@toolhaven/contract/runtime-report'
import { daemonSettings } from '@toolhaven/contract/system'
import { type CliWorld, openCliWorld } from './src/cli-world.ts'
import { KEYS, atTerminal } from './src/terminal.ts'
import { type ThvOptions, thv as runThv } from './src/thv.ts'

/** Self-signed, with a key that nobody has. */
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBdDCCARugAwIBAgIUMcxWqK0zud5BqH+/exNINHQqIaMwCgYIKoZIzj0EAwIw
DzENMAsGA1UEAwwEdGVzdDAgFw0yNjExMTUxNzAwNTFaGA8yMTI2MTAyMjE3MDA1
MVowDzENMAsGA1UEAwwEdGVzdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABNV6
5op1gc8d5QjEpb2m817w3zxW6M8t7S5ZNi10h62lgJvgYMoNP+i3//QaTZ1VD5G+
S0ZngRHnGdBYnG2zoE+jUzBRMB0GA1UdDgQWBBRDjuaIcJr7kr8NIEkRXAW2jW3d
GDAfBgNVHSMEGDAWgBRDjuaIcJr7kr8NIEkRXAW2jW3dGDAPBgNVHRMBAf8EBTAD
AQH/MAoGCCqGSM49BAMCA0cAMEQCIG5ReVXPc4wvVyNNUUfoIWKAXLZM/oCGzk+m
HCjr0UDIAiAECQGOHD7VcP+99rE26iyI+nj6UAsS7sVBm26GRwl0JQ==
-----END CERTIFICATE-----
`

let world: CliWorld
beforeAll(async () => {
  world = await openCliWorld()
  await mkdir(join(world.home.env['HOME'] ?? '', '.cursor'))
  expect(await thv('run', 'time')).toMatchObject({ code: 0 })
})
afterAll(() => world[Symbol.asyncDispose]())

const thv = (...args: string[]) => runThv(world.home, args)
const thvWith = (options: ThvOptions, ...args: string[]) => runThv(world.home, args, options)
const done = (stdout: string) => ({ code: 0, stdout, stderr: '' })

async function json<Schema extends z.ZodType>(schema: Schema, ...args: string[]): Promise<z.output<Schema>> {
  const { code, stdout, stderr } = await thv(...args, '--format', 'json')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return schema.parse(JSON.parse(stdout))
}

const addressInfo = z.looseObject({ port: z.number() })

const cursorEntries = async () => {
  const text = await readFile(join(world.home.env['HOME'] ?? '', '.cursor', 'mcp.json'), 'utf8').catch(() => '{}')
  return Object.keys(
    z.looseObject({ mcpServers: z.record(z.string(), z.unknown()).default({}) }).parse(JSON.parse(text)).mcpServers,
  )
}

describe('groups', () => {
  test('are made, listed and removed; a name that is taken or unknown is an error', async () => {
    expect(await thv('group', 'create', 'research')).toEqual(done('group research is created\n'))
    expect(await thv('group', 'create', 'research')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'thv: group research already exists\nChoose another name; "thv group list" lists them.\n',
    })
    expect(await thv('group', 'create', 'Bad Name')).toMatchObject({ code: 2, stdout: '' })
    expect((await thv('group', 'list')).stdout).toMatch(
      /^NAME +CLIENTS +WORKLOADS\ndefault +- +time\nresearch +- +-\n$/,
    )
    expect(await json(groupList, 'group', 'list')).toMatchObject({
      groups: [{ name: 'default' }, { name: 'research' }],
    })
    expect(await thv('group', 'rm', 'reserch')).toEqual({
      code: 3,
      stdout: '',
      stderr: 'thv: group reserch not found\nDid you mean research? "thv group list" lists them.\n',
    })
    expect(await thv('group', 'rm', 'research')).toEqual(done('group research is removed\n'))
  })

  test('with workloads are removed only after a yes; then those move, or go too', async () => {
    await thv('group', 'create', 'old')
    expect(await thv('run', 'time', '--name', 'mover', '--group', 'old')).toMatchObject({ code: 0 })
    const never = await thv('group', 'rm', 'default')
    expect(never.code).not.toBe(0)
    expect(never.stderr).not.toContain('--yes')
    const unasked = await thv('group', 'rm', 'old')
    expect(unasked).toMatchObject({ code: 2, stdout: '' })
    expect(unasked.stderr).toBe('thv: group old has workloads (mover); add --yes to move them to the group default\n')
    const no = await atTerminal(world.home, ['group', 'rm', 'old'], [['remove the group and move them', KEYS.enter]])
    expect(no.code).toBe(1)
    expect(no.screen).toContain('cancelled; nothing was changed')
    const yes = await atTerminal(world.home, ['group', 'rm', 'old'], [['remove the group and move them', 'y\r']])
    expect(yes.code).toBe(0)
    expect(yes.screen).toContain('group old is removed; now in the group default: mover')

    await thv('group', 'create', 'doomed')
    expect(await thv('run', 'fetch', '--group', 'doomed')).toMatchObject({ code: 0 })
    expect(await thv('group', 'rm', 'doomed', '--with-workloads', '--yes')).toEqual(
      done('group doomed is removed with its workloads\n'),
    )
    const { workloads } = await world.daemon.api.call('listWorkloads', { query: { all: true } })
    expect(workloads.map(({ name }) => name)).toEqual(['mover', 'time'])
    expect(await thv('rm', 'mover')).toMatchObject({ code: 0 })
  })
})

describe('clients', () => {
  test('are found, registered in either spelling, shown and removed', async () => {
    const { clients } = await json(clientStatusList, 'client', 'status')
    expect(clients.filter(({ installed }) => installed).map((client) => client.client_type)).toEqual(['Cursor'])
    expect((await thv('client', 'list-registered')).stdout).toBe('')
    expect(await thv('client', 'register', 'cursor')).toEqual(done('Cursor is registered; it sees: default\n'))
    expect(await cursorEntries()).toEqual(['time'])
    const [code] = await json(z.array(clientResponse), 'client', 'register', 'Cursor', '--group', 'default')
    expect(code).toEqual({ name: 'Cursor', groups: ['default'] })
    const absent = await thv('client', 'register', 'claude-code')
    expect(absent.stderr).toBe('Not installed here yet: ClaudeCode. Toolhaven writes the entries when it is.\n')
    expect(await json(z.array(registeredClient), 'client', 'list-registered')).toMatchObject([
      { name: 'ClaudeCode' },
      { name: 'Cursor' },
    ])
    expect((await thv('client', 'status')).stdout).toMatch(/^Cursor +yes +yes +Cursor$/m)
    expect(await thv('client', 'remove', 'ClaudeCode', 'cursor')).toEqual(
      done('ClaudeCode is removed\nCursor is removed\n'),
    )
    expect(await cursorEntries()).toEqual([])
  })

  test('that are unknown, not registered, or meant for an unknown group are errors', async () => {
    const unknown = await thv('client', 'register', 'cursr')
    expect(unknown).toMatchObject({ code: 3, stdout: '' })
    expect(unknown.stderr).toContain('Did you mean Cursor?')
    expect(await thv('client', 'remove', 'cursor')).toMatchObject({ code: 3, stdout: '' })
    const group = await thv('client', 'register', 'cursor', '--group', 'defualt')
    expect(group).toMatchObject({ code: 3, stdout: '' })
    expect(group.stderr).toContain('Did you mean default?')
    expect(await json(z.array(registeredClient), 'client', 'list-registered')).toEqual([])
  })

  test('are picked at a terminal, and nowhere else', async () => {
    expect(await thv('client', 'setup')).toMatchObject({ code: 2, stdout: '' })
    const cancelled = await atTerminal(world.home, ['client', 'setup'], [['Which clients', KEYS.interrupt]])
    expect(cancelled.code).not.toBe(0)
    expect(await cursorEntries()).toEqual([])
    const picked = await atTerminal(world.home, ['client', 'setup'], [['Which clients', KEYS.space + KEYS.enter]])
    expect(picked).toMatchObject({ code: 0 })
    expect(picked.screen).toContain('Cursor is registered; it sees: default')
    expect(await cursorEntries()).toEqual(['time'])
  })
})

describe('settings', () => {
  const cases = [
    {
      words: ['otel'],
      name: 'endpoint',
      value: 'localhost:4318',
      wrong: 'http://localhost:4318',
      held: { otel: { endpoint: 'localhost:4318' } },
    },
    { words: ['otel'], name: 'sampling-rate', value: '0', wrong: '1.5', held: { otel: { 'sampling-rate': 0 } } },
    {
      words: ['otel'],
      name: 'env-vars',
      value: 'NODE_ENV,REGION',
      wrong: 'A=b',
      held: { otel: { 'env-vars': ['NODE_ENV', 'REGION'] } },
    },
  ]

  test.each(cases)(
    'otel $name is set, shown and cleared, and a wrong value changes nothing',
    async ({ words, name, value, wrong, held }) => {
      const config = (verb: string, ...args: string[]) => thv('config', ...words, `${verb}-${name}`, ...args)
      expect(await config('get')).toMatchObject({ code: 0, stdout: '' })
      expect(await config('set', value)).toMatchObject({ code: 0, stderr: '' })
      expect(await config('get')).toEqual(done(`${value}\n`))
      expect(await config('set', wrong)).toMatchObject({ code: 2, stdout: '' })
      expect(await json(daemonSettings, 'config', ...words, `get-${name}`)).toEqual(held)
      expect(await config('unset')).toMatchObject({ code: 0, stderr: '' })
      expect(await config('get')).toMatchObject({ code: 0, stdout: '' })
    },
  )

  test('the certificate file is checked, and kept with its whole path', async () => {
    const file = join(world.home.dir, 'ca.pem')
    await writeFile(file, 'no certificate\n')
    expect(await thv('config', 'set-ca-cert', 'ca.pem')).toMatchObject({ code: 2, stdout: '' })
    await writeFile(file, CERTIFICATE)
    expect(await thv('config', 'set-ca-cert', './ca.pem')).toEqual(done(`the certificate file is now ${file}\n`))
    expect(await thv('config', 'get-ca-cert')).toEqual(done(`${file}\n`))
    expect(await thv('config', 'unset-ca-cert')).toEqual(done('the certificate file is no longer set\n'))
    expect(await json(daemonSettings, 'config', 'get-ca-cert')).toEqual({ ca_certificate_path: null })
  })

  test('the registry is a file, a URL or built in, and one that does not hold is refused', async () => {
    const before = await json(registryInfo, 'config', 'get-registry')
    expect((await thv('config', 'set-registry', 'missing.json')).code).not.toBe(0)
    expect((await thv('config', 'set-registry', 'http://127.0.0.1:9/registry.json')).code).not.toBe(0)
    expect(await thv('config', 'set-registry', 'ftp://example.com/registry.json')).toMatchObject({
      code: 2,
      stdout: '',
    })
    expect(await thv('config', 'get-registry')).toEqual(done(`${before.source}\n`))
    expect(await thv('config', 'unset-registry')).toMatchObject({ code: 0 })
    expect(await thv('config', 'get-registry')).toEqual(done('built-in\n'))
    expect(await thv('config', 'set-registry', `file://${before.source}`)).toMatchObject({ code: 0 })
    expect(await json(registryInfo, 'config', 'get-registry')).toEqual(before)
    const document = await readFile(before.source, 'utf8')
    await using server = createServer((_, response) =>
      response.setHeader('content-type', 'application/json').end(document),
    )
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const url = `http://127.0.0.1:${addressInfo.parse(server.address()).port}/registry.json`
    expect((await thv('config', 'set-registry', url)).code).not.toBe(0)
    expect(await thv('config', 'set-registry', url, '--allow-private-ip')).toMatchObject({ code: 0 })
    expect(await thv('config', 'get-registry')).toEqual(done(`${url}\n`))
    expect(await thv('config', 'set-registry', before.source)).toMatchObject({ code: 0 })
  })
})

describe('secrets', () => {
  test('need a provider; it is set up with a choice at a terminal or a flag', async () => {
    const missing = await thv('secret', 'list')
    expect(missing).toMatchObject({
      code: 3,
      stderr: 'thv: no secrets provider is set up\n"thv secret setup" sets one up.\n',
    })
    expect(await thv('secret', 'setup')).toMatchObject({ code: 2, stdout: '' })
    expect(await thv('secret', 'provider', 'vault')).toMatchObject({ code: 2, stdout: '' })
    const asked = await atTerminal(
      world.home,
      ['secret', 'setup'],
      [
        ['Where should secrets be kept?', KEYS.enter],
        ['Which password', KEYS.down + KEYS.enter],
        ['Password (not shown)', `hunter22${KEYS.enter}`],
        ['Once more', `hunter22${KEYS.enter}`],
      ],
    )
    expect(asked).toMatchObject({ code: 0 })
    expect(asked.screen).toContain('secrets provider encrypted is set up')
    expect(asked.screen).not.toContain('hunter22')
    expect(await thvWith({ input: 'wrong\n' }, 'secret', 'setup', '--provider', 'encrypted')).toMatchObject({
      code: 2,
      stdout: '',
    })
    expect(await thvWith({ input: 'hunter22\n' }, 'secret', 'setup', '--provider', 'encrypted')).toMatchObject({
      code: 0,
    })
    expect(await thv('secret', 'setup', '--provider', 'encrypted')).toMatchObject({ code: 0 })
    expect(await json(providerDetails, 'secret', 'provider')).toMatchObject({ provider_type: 'encrypted' })
  })

  test('of 1Password need its token, and what is missing is not a fault of the daemon', async () => {
    const told = /set OP_SERVICE_ACCOUNT_TOKEN and start the daemon again/
    const refused = await thv('secret', 'setup', '--provider', '1password')
    expect(refused).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(told) })
    const answer = await fetch(`${world.daemon.baseUrl}/api/v1beta/secrets`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"provider_type":"1password"}',
    })
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringMatching(told)])
  })

  test('come from a pipe or a hidden question, are read over the socket only, and are deleted', async () => {
    await thvWith({ input: 'hunter22\n' }, 'secret', 'setup', '--provider', 'encrypted')
    expect(await thvWith({ input: 'line one\nline two\n' }, 'secret', 'set', 'token')).toEqual(
      done('secret token is stored\n'),
    )
    expect(await thv('secret', 'get', 'token')).toEqual(done('line one\nline two\n'))
    const asked = await atTerminal(
      world.home,
      ['secret', 'set', 'token'],
      [['Value of token', `typed-value${KEYS.enter}`]],
    )
    expect(asked).toMatchObject({ code: 0 })
    expect(asked.screen).not.toContain('typed-value')
    expect(await json(secretValue, 'secret', 'get', 'token')).toEqual({ key: 'token', value: 'typed-value' })
    expect(await thv('secret', 'set', 'token')).toMatchObject({ code: 2, stdout: '' })
    expect(await json(secretList, 'secret', 'list')).toEqual({ keys: [{ key: 'token' }] })
    expect(await thv('secret', 'list')).toEqual(done('NAME\ntoken\n'))
    const remote = await thvWith({ env: { THV_HOST: `127.0.0.1:${world.daemon.port}` } }, 'secret', 'get', 'token')
    expect(remote).toMatchObject({ code: 1, stdout: '' })
    expect(remote.stderr).toContain('local socket')
    const unknown = await thv('secret', 'get', 'tokn')
    expect(unknown).toMatchObject({ code: 3, stdout: '' })
    expect(unknown.stderr).toContain('Did you mean token?')
    expect(await thv('secret', 'delete', 'token')).toEqual(done('secret token is deleted\n'))
    expect(await thv('secret', 'delete', 'token')).toMatchObject({ code: 3, stdout: '' })
  })

  test('the keyring is not touched where there is none', async () => {
    await thvWith({ input: 'hunter22\n' }, 'secret', 'setup', '--provider', 'encrypted')
    expect(await thvWith({ input: 'hunter22' }, 'secret', 'reset-keyring')).toMatchObject({
      code: 4,
      stdout: '',
      stderr: expect.stringContaining('Nothing was removed. Without a keyring, the password is in'),
    })
  })
})

test('secrets can be variables of the daemon, which are read and never written', async () => {
  await using ci = await openCliWorld({ TOOLHAVEN_SECRET_GITHUB_TOKEN: 'from-a-variable', TOOLHAVEN_SECRET_UNSET: '' })
  const inCi = (...args: string[]) => runThv(ci.home, args)
  expect(await inCi('secret', 'setup', '--provider', 'environment')).toEqual({
    code: 0,
    stdout: 'secrets provider environment is set up\n',
    stderr:
      'Secrets are read from environment variables of the daemon that begin with TOOLHAVEN_SECRET_. It has 1 of them now.\n',
  })
  expect(await inCi('secret', 'list')).toMatchObject({ code: 0, stdout: expect.stringContaining('GITHUB_TOKEN') })
  expect(await inCi('secret', 'get', 'github-token')).toEqual(done('from-a-variable\n'))
  for (const verb of ['set', 'delete']) {
    const { code, stdout, stderr } = await runThv(ci.home, ['secret', verb, 'search-key'], { input: 'x' })
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain('set TOOLHAVEN_SECRET_SEARCH_KEY where the daemon runs, and start the daemon again')
  }
  for (const key of ['unset', 'search-key']) {
    const missing = await inCi('run', 'time', '--name', 'lacking', '--secret', `${key},target=KEY`)
    expect(missing).toMatchObject({ code: 3, stdout: '' })
    expect(missing.stderr).toContain(
      `secret ${key} not found; set TOOLHAVEN_SECRET_${key === 'unset' ? 'UNSET' : 'SEARCH_KEY'} where the daemon runs`,
    )
  }
  expect(await inCi('run', 'time', '--secret', 'github-token,target=API_TOKEN')).toMatchObject({ code: 0 })
  const called = await inCi('call', 'time', 'env')
  expect(called.stdout).toContain('from-a-variable')
  // Servers get the variables that were named for them, not the daemon's own.
  expect(called.stdout).not.toContain('TOOLHAVEN_SECRET_')
  expect(await inCi('doctor')).toMatchObject({ stdout: expect.not.stringContaining('missing: github-token') })
})

test('the runtime is told with its sandbox and what was tried', async () => {
  const report = await json(runtimeReport, 'runtime', 'check')
  expect(report).toMatchObject({ name: 'process', state: 'healthy' })
  const { code, stdout } = await thv('runtime', 'check')
  expect(code).toBe(0)
  expect(stdout).toContain(`Sandbox  ${report.sandbox}\n`)
  expect(stdout).toMatch(/^TRIED +OUTCOME\nprocess /m)
})
