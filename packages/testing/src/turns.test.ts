import { access } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { rotationInside, takingTurns, waitingFiles } from './turns.ts'

const ROUNDS = 48

test('every file that takes turns is there', async () => {
  for (const file of takingTurns()) await access(fileURLToPath(new URL(`../../../${file}`, import.meta.url)))
})

test('every file has its turn, and none in a full run has to wait', () => {
  const taken = new Set<string>()
  for (let round = 0; round < ROUNDS; round += 1) {
    const waiting = waitingFiles({ full: false, round })
    for (const file of takingTurns()) if (!waiting.includes(file)) taken.add(file)
  }
  expect([...taken].toSorted()).toEqual(takingTurns().toSorted())
  expect(waitingFiles({ full: true, round: 1 })).toEqual([])
})

test('the soak is there, and runs in a full run only', async () => {
  const soak = 'e2e/soak.test.ts'
  await access(fileURLToPath(new URL(`../../../${soak}`, import.meta.url)))
  for (let round = 0; round < ROUNDS; round += 1) expect(waitingFiles({ full: false, round })).toContain(soak)
  expect(waitingFiles({ full: true, round: 1 })).not.toContain(soak)
})

test.each(takingTurns())('what rotates inside %s meets every part of it', (file) => {
  const parts = new Set<number>()
  for (let round = 0; round < ROUNDS; round += 1) {
    if (waitingFiles({ full: false, round }).includes(file)) continue
    parts.add(rotationInside(`/somewhere/${file}`, { full: false, round }).round % 3)
  }
  expect(parts).toEqual(new Set([0, 1, 2]))
})
