import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { MOST_FOR_NEW_OBJECTS } from './bound-new-objects.ts'

const MODULE = new URL('bound-new-objects.ts', import.meta.url).href

interface Sizes {
  first: number
  atRest: number
  again: number
  rounds: number
}

/**
 * Makes objects that live for a moment, as calls do, has the engine tidy up as it does at rest, and makes more of them. How soon the room grows
 * depends on when the engine gets to collect, so work ends once it is larger than `enough`, or after `most` rounds.
 */
async function sizes(before: string, enough: number, most: number): Promise<Sizes> {
  const program = `
    import { setTimeout } from 'node:timers/promises'
    import { boundNewObjects, sizeForNewObjects } from '${MODULE}'
    ${before}
    const kept = []
    let rounds = 0
    const work = async () => {
      let largest = 0
      for (let round = 0; round < ${most} && largest <= ${enough}; round++, rounds++) {
        for (let at = 0; at < 12_000; at++) kept[at] = Array.from({ length: 20 }, (_, n) => ({ n, round }))
        await setTimeout()
        // It shrinks again whenever the engine finds the time.
        largest = Math.max(largest, sizeForNewObjects())
      }
      return largest
    }
    const first = await work()
    kept.length = 0
    for (let round = 0; round < 5; round++) gc({ type: 'major', execution: 'sync', flavor: 'last-resort' })
    const atRest = sizeForNewObjects()
    console.log(JSON.stringify({ first, atRest, again: await work(), rounds }))`
  // The usual limit on a machine with much memory. On a busy machine V8 would take this program for an idle one, and shrink them.
  const flags = ['--max-semi-space-size=64', '--no-memory-reducer', '--expose-gc', '--input-type=module']
  const env = { ...process.env, NODE_OPTIONS: '' }
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, '-e', program], { env })
  return JSON.parse(stdout)
}

test('the room for new objects stays within its bound, and comes back after a rest', { timeout: 240_000 }, async () => {
  const tooLarge = 1.5 * MOST_FOR_NEW_OBJECTS
  const unbound = await sizes('', tooLarge, 1000)
  expect(unbound.first).toBeGreaterThan(tooLarge)
  expect(unbound.again).toBeGreaterThan(tooLarge)
  const bound = await sizes('boundNewObjects()', tooLarge, Math.max(40, unbound.rounds))
  expect(bound.first).toBeLessThan(tooLarge)
  expect(bound.atRest).toBeLessThan(bound.first)
  expect(bound.again).toBeGreaterThan(MOST_FOR_NEW_OBJECTS / 2)
  expect(bound.again).toBeLessThan(tooLarge)
})
