import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { MOST_FOR_NEW_OBJECTS } from './bound-new-objects.ts'

const MODULE = new URL('bound-new-objects.ts', import.meta.url).href

/** Makes objects that live for a moment, as calls do, has the engine tidy up as it does at rest, and makes more of them. */
async function sizes(before: string): Promise<number[]> {
  const program = `
    import { setTimeout } from 'node:timers/promises'
    import { boundNewObjects, sizeForNewObjects } from '${MODULE}'
    ${before}
    const kept = []
    const work = async () => {
      let largest = 0
      for (let round = 0; round < 40; round++) {
        for (let at = 0; at < 12_000; at++) kept[at] = Array.from({ length: 20 }, (_, n) => ({ n, round }))
        await setTimeout()
        // It shrinks again whenever the engine finds the time.
        largest = Math.max(largest, sizeForNewObjects())
      }
      return largest
    }
    const seen = [await work()]
    kept.length = 0
    for (let round = 0; round < 5; round++) gc({ type: 'major', execution: 'sync', flavor: 'last-resort' })
    seen.push(sizeForNewObjects(), await work())
    console.log(JSON.stringify(seen))`
  // The usual limit on a machine with much memory. On a busy machine V8 would take this program for an idle one, and shrink them.
  const flags = ['--max-semi-space-size=64', '--no-memory-reducer', '--expose-gc', '--input-type=module']
  const env = { ...process.env, NODE_OPTIONS: '' }
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, '-e', program], { env })
  return JSON.parse(stdout)
}

test('the room for new objects stays within its bound, and comes back after a rest', { timeout: 240_000 }, async () => {
  const [unbound = 0] = await sizes('')
  expect(unbound).toBeGreaterThan(1.5 * MOST_FOR_NEW_OBJECTS)
  const [first = 0, atRest = 0, again = 0] = await sizes('boundNewObjects()')
  expect(first).toBeLessThan(1.5 * MOST_FOR_NEW_OBJECTS)
  expect(atRest).toBeLessThan(first)
  expect(again).toBeGreaterThan(MOST_FOR_NEW_OBJECTS / 2)
  expect(again).toBeLessThan(1.5 * MOST_FOR_NEW_OBJECTS)
})
