import { execFileSync } from 'node:child_process'
import { mkdtemp, readFile, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { fc } from '@toolhaven/testing/properties'
import { createEncryptedSecrets, newStoreId, openEncryptedSecrets, type EncryptedSecrets } from './encrypted.ts'
import { makeSealingKey, parseSealedFile, seal, unseal } from './sealed-file.ts'

const COST = 2 ** 10
const isRoot = process.getuid?.() === 0

async function tempFile() {
  const dir = await mkdtemp(join(tmpdir(), 'thv-secrets-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  return join(dir, 'secrets.enc')
}

async function newStore(password = 'right') {
  const file = await tempFile()
  return { file, store: await createEncryptedSecrets({ file, password, id: newStoreId(), cost: COST }) }
}

async function reopen(file: string, password = 'right'): Promise<EncryptedSecrets> {
  const store = await openEncryptedSecrets({ file, password, cost: COST })
  if (store === undefined) throw new Error('the password was not accepted')
  return store
}

describe('sealing', () => {
  it('gives back any map of texts', async () => {
    const key = await makeSealingKey('pw', newStoreId(), COST)
    const text = fc.string({ unit: 'binary' })
    const anyText = fc.oneof(text, fc.constantFrom('__proto__', 'constructor', '', '\ud800', '\0'))
    fc.assert(
      fc.property(fc.array(fc.tuple(anyText, anyText)), (pairs) => {
        const entries = new Map(pairs)
        expect(unseal(parseSealedFile(seal(entries, key)), key)).toEqual(entries)
      }),
    )
  })

  it('never gives two writes of the same content the same text', async () => {
    const key = await makeSealingKey('pw', newStoreId(), COST)
    expect(seal(new Map([['a', 'b']]), key)).not.toBe(seal(new Map([['a', 'b']]), key))
  })
})

describe('the encrypted store', () => {
  it('keeps secrets over a restart, sealed and private', async () => {
    const { file, store } = await newStore()
    await store.set('token', 'canary-value')
    await store.set('other', 'x')
    expect(await store.delete('other')).toBe(true)
    expect(await store.delete('other')).toBe(false)
    const again = await reopen(file)
    expect(await again.get('token')).toBe('canary-value')
    expect(await again.get('other')).toBeUndefined()
    expect(await again.list()).toEqual([{ key: 'token' }])
    const text = await readFile(file, 'utf8')
    expect(text).not.toContain('canary-value')
    expect(text).not.toContain('token')
    expect((await stat(file)).mode & 0o777).toBe(0o600)
  })

  it('derives keys at the full cost unless told otherwise', async () => {
    const file = await tempFile()
    await createEncryptedSecrets({ file, password: 'x', id: newStoreId() })
    expect(parseSealedFile(await readFile(file, 'utf8')).header.kdf).toMatchObject({ N: 131_072, r: 8, p: 1 })
    expect(await openEncryptedSecrets({ file, password: 'x' })).toBeDefined()
  })

  it('loses none of many changes at once', async () => {
    const { file, store } = await newStore()
    await Promise.all(Array.from({ length: 40 }, (_, index) => store.set(`k${index}`, `v${index}`)))
    expect(await (await reopen(file)).list()).toHaveLength(40)
  })

  it('tells a wrong password and changes nothing', async () => {
    const { file, store } = await newStore()
    await store.set('a', 'b')
    const before = await readFile(file, 'utf8')
    expect(await openEncryptedSecrets({ file, password: 'wrong', cost: COST })).toBeUndefined()
    expect(await readFile(file, 'utf8')).toBe(before)
    expect(await readdir(join(file, '..'))).toEqual(['secrets.enc'])
  })

  it('takes a password in either Unicode form', async () => {
    const { file } = await newStore('caf\u00e9')
    expect(await openEncryptedSecrets({ file, password: 'cafe\u0301', cost: COST })).toBeDefined()
  })

  it('tells an altered file from a wrong password and leaves it as it is', async () => {
    const { file, store } = await newStore()
    await store.set('a', 'canary-value')
    const good = JSON.parse(await readFile(file, 'utf8'))
    const flip = (text: string) => (text.startsWith('A') ? 'B' : 'A') + text.slice(1)
    const altered = [
      { ...good, ciphertext: flip(good.ciphertext) },
      { ...good, nonce: flip(good.nonce) },
      { ...good, tag: flip(good.tag) },
      { ...good, header: { ...good.header, id: '0'.repeat(32) } },
      { ...good, header: { ...good.header, kdf: { ...good.header.kdf, N: 2 ** 30 } } },
      { ...good, ciphertext: undefined },
      { ...good, more: 1 },
    ]
    for (const content of [...altered.map((file) => JSON.stringify(file)), '', '{', 'null', '{"header":{}}']) {
      await writeFile(file, content)
      const failure = await reopen(file).catch((error: unknown) => error)
      expect(failure).toMatchObject({ code: 'invalid', message: /damaged or was altered/ })
      expect(String(failure)).not.toContain('canary')
      expect(await readFile(file, 'utf8')).toBe(content)
    }
    await writeFile(
      file,
      JSON.stringify({
        ...good,
        header: { ...good.header, kdf: { ...good.header.kdf, salt: flip(good.header.kdf.salt) } },
      }),
    )
    expect(await openEncryptedSecrets({ file, password: 'right' })).toBeUndefined()
  })

  it('does not accept an old file spliced with the header of a new password', async () => {
    const { file, store } = await newStore()
    await store.set('a', 'old')
    const before = JSON.parse(await readFile(file, 'utf8'))
    await store.changePassword('right', 'other')
    const after = JSON.parse(await readFile(file, 'utf8'))
    await writeFile(file, JSON.stringify({ ...before, header: after.header }))
    await expect(reopen(file, 'other')).rejects.toMatchObject({ message: /altered/ })
  })

  it('refuses a newer format untouched', async () => {
    const { file } = await newStore()
    const good = JSON.parse(await readFile(file, 'utf8'))
    const newer = JSON.stringify({ ...good, header: { ...good.header, format: 2, extra: true } })
    await writeFile(file, newer)
    await expect(reopen(file)).rejects.toMatchObject({ code: 'invalid', message: /newer version/ })
    expect(await readFile(file, 'utf8')).toBe(newer)
  })

  it('changes its password, and only with the old one', async () => {
    const { file, store } = await newStore()
    await store.set('a', 'b')
    const before = await readFile(file, 'utf8')
    await expect(store.changePassword('wrong', 'new')).rejects.toMatchObject({
      code: 'invalid',
      message: /wrong password/,
    })
    await expect(store.changePassword('right', '')).rejects.toMatchObject({ code: 'invalid' })
    expect(await readFile(file, 'utf8')).toBe(before)
    const changes = [store.set('c', 'd'), store.changePassword('right', 'new'), store.set('e', 'f')]
    await Promise.all(changes)
    expect(await openEncryptedSecrets({ file, password: 'right', cost: COST })).toBeUndefined()
    expect(await (await reopen(file, 'new')).list()).toEqual([{ key: 'a' }, { key: 'c' }, { key: 'e' }])
  })

  it('does not begin a store over an existing one, nor follow a link', async () => {
    const { file } = await newStore()
    await expect(createEncryptedSecrets({ file, password: 'x', id: newStoreId(), cost: COST })).rejects.toMatchObject({
      code: 'invalid',
    })
    const link = join(file, '..', 'link.enc')
    await symlink(file, link)
    await expect(reopen(link)).rejects.toMatchObject({ message: /symbolic link/ })
  })

  it('keeps the old content, in memory and on disk, when the disk is full', async ({ skip }) => {
    skip(!isRoot, 'needs root for a tiny file system')
    const dir = join(await tempFile(), '..')
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k,mode=700', 'tmpfs', dir])
    onTestFinished(() => void execFileSync('umount', ['-l', dir]))
    const file = join(dir, 'secrets.enc')
    const store = await createEncryptedSecrets({ file, password: 'right', id: newStoreId(), cost: COST })
    await store.set('a', 'b')
    await expect(store.set('big', 'x'.repeat(200_000))).rejects.toMatchObject({
      code: 'unavailable',
      message: /no space/,
    })
    expect(await store.list()).toEqual([{ key: 'a' }])
    expect(await (await reopen(file)).list()).toEqual([{ key: 'a' }])
  })
})
