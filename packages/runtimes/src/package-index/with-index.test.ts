import { expect, test } from 'vitest'
import { withIndex } from './with-index.ts'

const WHAT = { scheme: 'npx', name: 'thv-moved' } as const
const signal = () => AbortSignal.timeout(10_000)

test('what was fetched while the index changed is not kept, and is fetched again', async () => {
  let configured = 'first'
  const kept: string[] = []
  const fetched = await withIndex(
    async () => [configured],
    WHAT,
    async ({ key, confirm }) => {
      configured = 'second'
      await confirm()
      kept.push(key.join())
      return key.join()
    },
    signal(),
  )
  expect(fetched).toBe('second')
  expect(kept).toEqual(['second'])
})

test('an index that never stays the same fails the fetch, and the message says why', async () => {
  let changes = 0
  const attempt = withIndex(
    async () => [`index ${(changes += 1)}`],
    WHAT,
    ({ confirm }) => confirm(),
    signal(),
  )
  await expect(attempt).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('changed while thv-moved was fetched'),
  })
})

test('a fetch that fails for another reason is not tried again', async () => {
  let tries = 0
  const attempt = withIndex(
    async () => [],
    WHAT,
    async () => {
      tries += 1
      throw new Error('no such package')
    },
    signal(),
  )
  await expect(attempt).rejects.toThrow('no such package')
  expect(tries).toBe(1)
})
