import { describe, expect, test } from 'vitest'
import { MemoryJournal, memoryConfig, memorySecrets } from '@toolhaven/fakes/memory-stores'
import { createMasker } from './masker.ts'
import { Secrets } from './secrets.ts'

function parts() {
  const deps = {
    providers: memorySecrets(),
    config: memoryConfig(),
    journal: new MemoryJournal(),
    masker: createMasker(),
    announce: () => {},
  }
  return { deps, secrets: new Secrets(deps) }
}

describe('secrets', () => {
  test('two creates of one key at once: one wins', async () => {
    const { secrets } = parts()
    await secrets.setUp('encrypted', undefined)
    const results = await Promise.allSettled([secrets.create('k', 'first'), secrets.create('k', 'second')])
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    expect(await secrets.read('k')).toBe('first')
  })

  test('are found again by a new daemon through the configuration', async () => {
    const { deps, secrets } = parts()
    await secrets.setUp('encrypted', undefined)
    await secrets.create('k', 'value')
    expect(await new Secrets(deps).read('k')).toBe('value')
  })

  test('of a provider that cannot be set up leave the former one in use', async () => {
    const { deps, secrets } = parts()
    await secrets.setUp('encrypted', undefined)
    await expect(secrets.setUp('none', 'wrong')).rejects.toMatchObject({ code: 'invalid' })
    expect(deps.config.get().secrets.providerType).toBe('encrypted')
    expect((await secrets.details()).provider_type).toBe('encrypted')
  })

  test.each([
    ['a NUL', 'x\0--ro-bind\0/\0/tmp/leak', 'NUL character'],
    ['half of a surrogate pair', 'x\ud83d', 'half of a surrogate pair'],
  ])('with %s are not stored, and one that an older version stored is not given to a server', async (_, value, why) => {
    const { deps, secrets } = parts()
    await secrets.setUp('encrypted', undefined)
    const refusal = { code: 'invalid', message: expect.stringContaining(`secret k must not contain`) }
    await expect(secrets.store('k', value)).rejects.toMatchObject(refusal)
    expect(await secrets.has('k')).toBe(false)
    await (await deps.providers.open('encrypted')).set('k', value)
    await expect(secrets.read('k')).rejects.toMatchObject(refusal)
    await expect(secrets.read('k')).rejects.toThrow(why)
    await secrets.update('k', 'good')
    expect(await secrets.read('k')).toBe('good')
  })

  test('never stand in the journal, and the password is masked from then on', async () => {
    const { deps, secrets } = parts()
    await secrets.setUp('encrypted', 'the-password')
    await secrets.create('k', 'the-value')
    await secrets.update('k', 'the-value-2')
    await secrets.delete('k')
    expect(deps.journal.entries.map(({ action }) => action)).toEqual([
      'setup-secrets',
      'create-secret',
      'update-secret',
      'delete-secret',
    ])
    expect(JSON.stringify(deps.journal.entries)).not.toMatch(/the-value|the-password/)
    expect(deps.masker.mask('the-password')).toBe('[secret]')
  })
})
