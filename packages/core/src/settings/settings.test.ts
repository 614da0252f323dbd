import { describe, expect, test } from 'vitest'
import { MemoryJournal, memoryConfig } from '@toolhaven/fakes/memory-stores'
import { invalid } from '../errors.ts'
import { type SettingsDeps, getSettings, updateSettings } from './settings.ts'

function depsOf(): SettingsDeps & { journal: MemoryJournal } {
  return {
    config: memoryConfig(),
    journal: new MemoryJournal(),
    readCertificate: async (path) => {
      if (path === '/ca.pem') return 'PEM'
      throw invalid('the certificate file does not exist')
    },
    announce: () => {},
  }
}

describe('settings', () => {
  test('left out stay, null clears, and other configuration is not touched', async () => {
    const deps = depsOf()
    await deps.config.update((config) => ({ ...config, secrets: { providerType: 'encrypted' }, allowedHosts: ['x'] }))
    await updateSettings(deps, {
      ca_certificate_path: '/ca.pem',
      otel: { endpoint: 'h:1', 'sampling-rate': 0, 'env-vars': [] },
    })
    await updateSettings(deps, { base_images: { go: 'golang:1' } })
    expect(getSettings(deps)).toEqual({
      ca_certificate_path: '/ca.pem',
      otel: { endpoint: 'h:1', 'sampling-rate': 0, 'env-vars': [] },
      base_images: { go: 'golang:1' },
    })
    expect(await updateSettings(deps, { ca_certificate_path: null, otel: { 'sampling-rate': null } })).toEqual({
      otel: { endpoint: 'h:1', 'env-vars': [] },
      base_images: { go: 'golang:1' },
    })
    expect(deps.config.get()).toMatchObject({ secrets: { providerType: 'encrypted' }, allowedHosts: ['x'] })
    expect(deps.journal.entries.map(({ detail }) => detail)).toEqual([
      { fields: ['ca_certificate_path', 'otel'] },
      { fields: ['base_images'] },
      { fields: ['ca_certificate_path', 'otel'] },
    ])
  })

  test.each([
    [{ ca_certificate_path: '/gone.pem' }],
    [{ otel: { endpoint: 'https://h:1' } }],
    [{ otel: { endpoint: 'a b:4318' } }],
    [{ base_images: { uvx: 'a b' } }],
  ])('that cannot hold, as %j, change nothing', async (change) => {
    const deps = depsOf()
    const before = structuredClone(deps.config.get())
    await expect(updateSettings(deps, change)).rejects.toMatchObject({ code: 'invalid' })
    expect(deps.config.get()).toEqual(before)
    expect(deps.journal.entries).toEqual([])
  })
})
