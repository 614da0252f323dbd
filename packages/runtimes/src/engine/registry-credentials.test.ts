import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { tmpdir } from 'node:os'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { registryCredentials } from './registry-credentials.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'thv-login-'))
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await rm(folder, { recursive: true })
})

const write = (config: unknown) => writeFile(join(folder, 'config.json'), JSON.stringify(config))
const ask = (registry: string) => registryCredentials(folder, registry, AbortSignal.timeout(10_000))
const auth = (text: string) => Buffer.from(text).toString('base64')

/** A credential helper on the PATH that answers for one key, as Docker's own do. */
async function installHelper(name: string, key: string, answer: string): Promise<void> {
  const file = join(folder, `docker-credential-${name}`)
  await writeFile(
    file,
    `#!/bin/sh\nread key\nif [ "$1 $key" = 'get ${key}' ]; then echo '${answer}'; else echo 'credentials not found'; exit 1; fi\n`,
  )
  await chmod(file, 0o755)
  vi.stubEnv('PATH', [folder, process.env['PATH']].join(delimiter))
}

describe('registry credentials', () => {
  test('are none without a Docker configuration', async () => {
    expect(await ask('ghcr.io')).toBeUndefined()
  })

  test('come from the file, a colon in the password included', async () => {
    await write({ auths: { 'ghcr.io': { auth: auth('me:pa:ss') } } })
    expect(await ask('ghcr.io')).toMatchObject({ username: 'me', password: 'pa:ss', serveraddress: 'ghcr.io' })
    expect(await ask('quay.io')).toBeUndefined()
  })

  test('for Docker Hub are filed under its old address', async () => {
    await write({ auths: { 'https://index.docker.io/v1/': { auth: auth('hub:x') } } })
    expect(await ask('docker.io')).toMatchObject({ username: 'hub' })
  })

  test('come from the helper of the registry before the file', async () => {
    await installHelper('vault', 'ghcr.io', '{"ServerURL":"ghcr.io","Username":"helper","Secret":"kept"}')
    await write({ credHelpers: { 'ghcr.io': 'vault' }, auths: { 'ghcr.io': { auth: auth('file:x') } } })
    expect(await ask('ghcr.io')).toMatchObject({ username: 'helper', password: 'kept' })
  })

  test('fall back to the file when the store knows nothing', async () => {
    await installHelper('vault', 'other.example', '{}')
    await write({ credsStore: 'vault', auths: { 'ghcr.io': { auth: auth('file:x') } } })
    expect(await ask('ghcr.io')).toMatchObject({ username: 'file' })
  })

  test('may be an identity token', async () => {
    await installHelper('vault', 'ghcr.io', '{"Username":"<token>","Secret":"idt"}')
    await write({ credsStore: 'vault' })
    expect(await ask('ghcr.io')).toMatchObject({ username: '', identitytoken: 'idt' })
  })

  test('name the helper that is missing', async () => {
    await write({ credsStore: 'not-installed-here' })
    await expect(ask('ghcr.io')).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringContaining('docker-credential-not-installed-here'),
    })
  })

  test('never take a path for a helper name', async () => {
    await write({ credsStore: '../../bin/sh' })
    await expect(ask('ghcr.io')).rejects.toMatchObject({ code: 'invalid' })
  })

  test('do not quote what a helper printed', async () => {
    await installHelper('vault', 'ghcr.io', 'hunter2 is not json')
    await write({ credsStore: 'vault' })
    const error = await ask('ghcr.io').catch((thrown: unknown) => thrown)
    expect(String(error)).toContain('docker-credential-vault')
    expect(JSON.stringify(error) + String(error) + String(error instanceof Error ? error.cause : '')).not.toContain(
      'hunter2',
    )
  })
})
