import { expect } from 'vitest'
import { signal, untilSaid, type RuntimeCases } from './session.ts'

const MEBIBYTE = 2 ** 20

export const usageCases: RuntimeCases = {
  'sees the memory, the time and the processes that a server uses': async ({ runtime, open }, skip) => {
    const { handle: small, pipe: its } = await open(['polite'])
    const { handle: large, pipe } = await open(['keep', String(128 * MEBIBYTE)])
    await untilSaid(its, 'ready')
    await untilSaid(pipe, 'ready')
    const [little, much] = await Promise.all([runtime.usage?.(small, signal()), runtime.usage?.(large, signal())])
    if (much?.notMeasured !== undefined) return skip(much.notMeasured)
    expect((much?.memoryBytes ?? 0) - (little?.memoryBytes ?? 0)).toBeGreaterThan(100 * MEBIBYTE)
    expect(much?.memoryBytes).toBeLessThan(1024 * MEBIBYTE)
    expect(much?.cpuMs).toBeGreaterThan(250)
    expect(much?.pids).toBeGreaterThan(0)
    const later = await runtime.usage?.(large, signal())
    expect(later?.cpuMs).toBeGreaterThanOrEqual(much?.cpuMs ?? 0)
  },

  'measures nothing of what does not run, or is gone': async ({ runtime, create, open }) => {
    const idle = await create(['polite'])
    expect(await runtime.usage?.(idle, signal())).toBeUndefined()
    const { handle, pipe } = await open(['polite'])
    await untilSaid(pipe, 'ready')
    await runtime.stop(handle, 5000, signal())
    expect(await runtime.usage?.(handle, signal())).toBeUndefined()
    await runtime.remove(handle, signal())
    expect(await runtime.usage?.(handle, signal())).toBeUndefined()
  },
}
