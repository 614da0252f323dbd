import { chmod, mkdir, mkdtemp, readFile, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openConfigStore } from './config-store.ts'

async function tempFile(content?: string) {
  const dir = await mkdtemp(join(tmpdir(), 'thv-config-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  const file = join(dir, 'config.yaml')
  if (content !== undefined) await writeFile(file, content, { mode: 0o600 })
  return file
}

const DEFAULTS = { registry: {}, secrets: {}, otel: {}, allowedHosts: [], baseImages: {} }

const FULL = `# my settings
format: 1
registry_url: https://example.com/registry.json # ours
local_registry_path: /srv/registry.json
allow_private_registry_ip: true

secrets:
  provider_type: encrypted
ca_certificate_path: /etc/ca.pem
otel:
  # half is enough
  sampling-rate: 0.5
  endpoint: localhost:4318
  env-vars: [A, B]
allowed_hosts:
  - box.lan
trusted_root_path: /etc/root.json
base_images:
  npx: node:24-slim
  uvx: python:3.13-slim
  go: golang:1.24
`

describe('the configuration', () => {
  it.each(['opened', 'changed'])('is damaged when its file is empty, and is not %s', async (what) => {
    const file = await tempFile(what === 'opened' ? '' : FULL)
    const open = async () => {
      const store = await openConfigStore({ file })
      await writeFile(file, '')
      await store.update((config) => ({ ...config, allowedHosts: ['a.example'] }))
    }
    await expect(open()).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringContaining(`${file} is empty`),
    })
    expect(await readFile(file, 'utf8')).toBe('')
  })
  it('is all defaults without a file, which is made by the first change only', async () => {
    const file = await tempFile()
    const store = await openConfigStore({ file })
    expect(store.get()).toEqual(DEFAULTS)
    await store.update((config) => config)
    expect(await readdir(join(file, '..'))).toEqual([])
    await store.update((config) => ({ ...config, registry: { url: 'https://example.com/r.json' } }))
    expect(await readFile(file, 'utf8')).toBe('registry_url: https://example.com/r.json\nformat: 1\n')
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect((await openConfigStore({ file })).get().registry.url).toBe('https://example.com/r.json')
  })

  it('reads every key', async () => {
    expect((await openConfigStore({ file: await tempFile(FULL) })).get()).toEqual({
      registry: { url: 'https://example.com/registry.json', localPath: '/srv/registry.json', allowPrivateIp: true },
      secrets: { providerType: 'encrypted' },
      caCertificatePath: '/etc/ca.pem',
      otel: { endpoint: 'localhost:4318', samplingRate: 0.5, envVars: ['A', 'B'] },
      trustedRootPath: '/etc/root.json',
      allowedHosts: ['box.lan'],
      baseImages: { npx: 'node:24-slim', uvx: 'python:3.13-slim', go: 'golang:1.24' },
    })
  })

  it('keeps comments, order and the rest of the text when one setting changes', async () => {
    const file = await tempFile(FULL)
    const store = await openConfigStore({ file })
    await store.update((config) => ({ ...config, otel: { ...config.otel, samplingRate: 0.25 } }))
    expect(await readFile(file, 'utf8')).toBe(FULL.replace('0.5', '0.25'))
    expect(store.get().otel.samplingRate).toBe(0.25)
  })

  it('keeps a file that holds nothing but comments, and leaves a file alone when nothing changes', async () => {
    const file = await tempFile('# nothing yet\n')
    const store = await openConfigStore({ file })
    await store.update((config) => config)
    expect(await readFile(file, 'utf8')).toBe('# nothing yet\n')
    await store.update((config) => ({ ...config, allowedHosts: ['a'] }))
    expect(await readFile(file, 'utf8')).toBe('# nothing yet\n\nallowed_hosts:\n  - a\nformat: 1\n')
  })

  it('takes settings away again, with the heading that is left empty', async () => {
    const file = await tempFile('secrets:\n  provider_type: none\nallowed_hosts: [a]\nregistry_url: x # why\n')
    const store = await openConfigStore({ file })
    await store.update((config) => ({ ...config, secrets: {}, allowedHosts: [] }))
    expect(await readFile(file, 'utf8')).toBe('registry_url: x # why\nformat: 1\n')
  })

  it('builds a change on what the file says now, not on what it said at the start', async () => {
    const file = await tempFile('registry_url: a\n')
    const store = await openConfigStore({ file })
    await writeFile(file, 'registry_url: a\nca_certificate_path: /by/hand\n')
    await Promise.all([
      store.update((config) => ({ ...config, registry: { url: 'b' } })),
      store.update((config) => ({ ...config, allowedHosts: [...config.allowedHosts, 'one'] })),
      store.update((config) => ({ ...config, allowedHosts: [...config.allowedHosts, 'two'] })),
    ])
    expect(store.get()).toMatchObject({
      registry: { url: 'b' },
      caCertificatePath: '/by/hand',
      allowedHosts: ['one', 'two'],
    })
    expect((await openConfigStore({ file })).get()).toEqual(store.get())
  })

  it.each([
    ['registry_urll: x\n', /unknown key "registry_urll"/],
    ['otel:\n  samplingRate: 1\n', /unknown key "otel.samplingRate"/],
    ['otel:\n  sampling-rate: 2\n', /"otel.sampling-rate" is not right/],
    ['allowed_hosts: box\n', /"allowed_hosts" is not right/],
    ['registry_url: [\n', /not valid YAML.*line.*correct it, or move it away/],
    ['registry_url: a\nregistry_url: b\n', /not valid YAML.*unique/],
    ['- a\n', /the file is not right/],
    ['registry_url: "a\\0b"\n', /"registry_url" is not right: must not contain a NUL character/],
    ['__proto__: 1\n', /unknown key "__proto__"/],
    ['format: 0\n', /"format" is not right/],
  ])('refuses %j and names the file', async (content, message) => {
    const file = await tempFile(content)
    const failure = await openConfigStore({ file }).catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: 'invalid', message })
    expect(String(failure)).toContain(file)
    expect(await readFile(file, 'utf8')).toBe(content)
  })

  it('refuses a newer format untouched', async () => {
    const file = await tempFile('format: 2\nshiny: true\n')
    await expect(openConfigStore({ file })).rejects.toMatchObject({ code: 'conflict', message: /newer version/ })
    expect(await readFile(file, 'utf8')).toBe('format: 2\nshiny: true\n')
  })

  it('refuses a change that breaks a rule, on disk and in memory', async () => {
    const file = await tempFile('registry_url: a\n')
    const store = await openConfigStore({ file })
    await expect(store.update((config) => ({ ...config, otel: { samplingRate: 7 } }))).rejects.toMatchObject({
      code: 'invalid',
    })
    expect(store.get().otel).toEqual({})
    expect(await readFile(file, 'utf8')).toBe('registry_url: a\n')
  })

  it('follows a link of the user to its place, and refuses a file that others may write', async () => {
    const file = await tempFile()
    await mkdir(join(file, '..', 'dotfiles'))
    const real = join(file, '..', 'dotfiles', 'thv.yaml')
    await writeFile(real, 'registry_url: a\n', { mode: 0o600 })
    await symlink(real, file)
    const store = await openConfigStore({ file })
    await store.update((config) => ({ ...config, registry: { url: 'b' } }))
    expect(await readFile(real, 'utf8')).toContain('registry_url: b')
    await chmod(real, 0o666)
    await expect(openConfigStore({ file })).rejects.toMatchObject({ code: 'invalid', message: /other users/ })
  })

  it('cannot be changed through what get gives', async () => {
    const store = await openConfigStore({ file: await tempFile(FULL) })
    expect(() => store.get().allowedHosts.push('evil')).toThrow(TypeError)
  })
})
