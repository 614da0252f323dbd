import { expect, test } from 'vitest'
import { GrowingPause } from './growing-pause.ts'
import { MissedNotices } from './missed-notices.ts'

test('what is held back during a pause is told once when it is over, with what the newest session has', async () => {
  const told: unknown[] = []
  const notices = new MissedNotices(
    (greeting) => void told.push(greeting['capabilities']),
    new GrowingPause({ firstMs: 20, longestMs: 40 }),
  )
  for (const capabilities of ['first', 'second', 'third']) notices.add({ capabilities })
  expect(told).toEqual(['first'])
  await expect.poll(() => told.length).toBe(2)
  expect(told).toEqual(['first', 'third'])
  notices.close()
})
