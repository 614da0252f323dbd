import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const MODULE = new URL('leave-room-for-buffers.ts', import.meta.url).href

/** As the engine itself decides where little is made. */
const A_TENTH = '--heap-growing-percent=10'

/** How far the engine says it lets its heap grow, by its size after it was looked through. */
async function growth(before: string): Promise<number> {
  const program = `
    import { leaveRoomForBuffers } from '${MODULE}'
    const kept = Array.from({ length: 1_000_000 }, (_, at) => ({ at }))
    ${before}
    for (let round = 0; round < 3; round++) gc()
    if (kept.length === 0) throw new Error('the engine threw away what is used')`
  const flags = [A_TENTH, '--trace-gc-verbose', '--trace-gc', '--expose-gc', '--input-type=module']
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, '-e', program])
  const limits = [...stdout.matchAll(/\[HeapController\] Limit: old size: (\d+) KB, new limit: (\d+) KB/g)]
  const [, size, limit] = limits.at(-1) ?? []
  return Number(limit) / Number(size)
}

test('a heap on which little is made may grow to four times its size', async () => {
  expect(await growth('')).toBeLessThan(3)
  expect(await growth('leaveRoomForBuffers()')).toBeGreaterThan(3.9)
})
