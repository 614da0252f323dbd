import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createIndexKey } from './index-key.ts'

let homeDir: string
beforeEach(async () => {
  homeDir = await mkdtemp(join(tmpdir(), 'thv-index-key-'))
  // Otherwise go leaves a process behind that writes its telemetry into the home folder after the test.
  await writeHome('.config/go/telemetry/mode', 'off')
})
afterEach(() => rm(homeDir, { recursive: true, force: true }))

const keysWith = (env: Readonly<Record<string, string>> = {}) => {
  const noMachineFile = { npm_config_globalconfig: join(homeDir, 'none'), XDG_CONFIG_DIRS: homeDir, GOENV: 'off' }
  const all = { PATH: process.env['PATH'], ...noMachineFile, ...env }
  const ask = createIndexKey({ nodePath: process.execPath, env: all, homeDir })
  return (scheme: Parameters<typeof ask>[0]) => ask(scheme, AbortSignal.timeout(60_000))
}

async function writeHome(file: string, text: string): Promise<void> {
  await mkdir(dirname(join(homeDir, file)), { recursive: true })
  await writeFile(join(homeDir, file), text)
}

test('nothing configured is not a key, so what came from the default indexes stays', async () => {
  const key = keysWith()
  for (const scheme of ['npx', 'uvx', 'go'] as const) expect(await key(scheme), scheme).toEqual([])
})

test('another registry is another key, also while the daemon runs', async () => {
  const key = keysWith()
  expect(await key('npx')).toEqual([])
  await writeHome('.npmrc', 'registry=http://one.example/\n')
  const one = await key('npx')
  expect(one).toHaveLength(1)
  await writeHome('.npmrc', 'registry=http://two.example/\n')
  expect(await key('npx')).not.toEqual(one)
  await writeHome('.npmrc', 'registry=http://one.example/\n//one.example/:_authToken=secret\n')
  expect(await key('npx')).toEqual(one)
})

test('another password is the same index', async () => {
  const index = (login: string) => keysWith({ PIP_INDEX_URL: `https://${login}python.example/simple` })('uvx')
  expect(await index('user:one@')).toEqual(await index(''))
  expect(await index('user:one@')).toHaveLength(1)
  expect(await keysWith({ UV_DEFAULT_INDEX: 'https://other.example/simple' })('uvx')).not.toEqual(await index(''))
})

test('a module proxy of the user is a key', async () => {
  expect(await keysWith({ GOPROXY: 'https://modules.example' })('go')).toHaveLength(1)
})

test.each([
  'index-url = "https://inner.example/simple"',
  '[pip]\nextra-index-url = ["https://inner.example/simple"]',
  '[[index]]\nname = "inner"\nurl = "https://inner.example/simple"',
  'pip.index-url = "https://inner.example/simple"',
  'pip = { index-url = "https://inner.example/simple" }',
  'pip={strict=true,extra-index-url=["https://inner.example/simple"]}',
  'pip={extra-index-url=["https://inner.example/simple"]}',
  '"index" = [{ url = "https://inner.example/simple" }]',
])('an index in uv.toml is refused, not ignored: %s', async (text) => {
  await writeHome('.config/uv/uv.toml', text)
  await expect(keysWith()('uvx')).rejects.toThrow(/uv\.toml says where uv finds packages.*UV_DEFAULT_INDEX/)
  expect(await keysWith({ UV_DEFAULT_INDEX: 'https://inner.example/simple' })('uvx')).toHaveLength(1)
})

test.each([
  { UV_INDEX: 'https://other.example/simple' },
  { UV_EXTRA_INDEX_URL: 'https://other.example/simple' },
  { UV_NO_CONFIG: '0' },
  { UV_NO_CONFIG: 'false' },
])('a variable that leaves the default index of uv.toml in force does not hide it: %o', async (env) => {
  await writeHome('.config/uv/uv.toml', 'index-url = "https://inner.example/simple"')
  await expect(keysWith(env)('uvx')).rejects.toThrow('uv.toml says where uv finds packages')
})

test('uv.toml does not matter where uv is told not to read it', async () => {
  await writeHome('.config/uv/uv.toml', 'index-url = "https://inner.example/simple"')
  expect(await keysWith({ UV_NO_CONFIG: '1' })('uvx')).toEqual([])
})

test('other settings in uv.toml do not matter', async () => {
  await writeHome('.config/uv/uv.toml', 'native-tls = true\nindex-strategy = "first-index"\npip = { strict = true }\n')
  expect(await keysWith()('uvx')).toEqual([])
})
