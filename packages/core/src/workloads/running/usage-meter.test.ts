import { ManualClock, settle } from '@toolhaven/fakes/manual-clock'
import { expect, test } from 'vitest'
import type { InstanceHandle, Usage } from '../../ports/runtime.ts'
import { UsageMeter } from './usage-meter.ts'

const handle = (id: string): InstanceHandle => ({ runtime: 'docker', id, name: id })
const signal = AbortSignal.timeout(30_000)

function meterOf(usage: (handle: InstanceHandle) => Promise<Usage | undefined>) {
  const clock = new ManualClock()
  return { clock, meter: new UsageMeter({ clock, runtime: { name: 'docker', usage } }) }
}

test('the first request looks twice, later ones compare with the last look', async () => {
  let [cpuMs, looks] = [1000, 0]
  const { clock, meter } = meterOf(async () => ({ cpuMs, memoryBytes: 5, pids: (looks += 1) }))
  const first = meter.measure([handle('a')], signal)
  await settle()
  cpuMs += 250
  await clock.advance(500)
  expect(await first).toEqual({ cpuShare: 0.5, memoryBytes: 5, pids: 2 })
  // At once: the share of before still holds.
  cpuMs += 1000
  expect(await meter.measure([handle('a')], signal)).toMatchObject({ cpuShare: 0.5, pids: 3 })
  await clock.advance(2000)
  expect(await meter.measure([handle('a')], signal)).toMatchObject({ cpuShare: 0.5, pids: 4 })
})

test('a look that is long ago is not compared with', async () => {
  let cpuMs = 0
  const { clock, meter } = meterOf(async () => ({ cpuMs }))
  const first = meter.measure([handle('a')], signal)
  await settle()
  await clock.advance(500)
  await first
  cpuMs += 100_000
  await clock.advance(600_000)
  const later = meter.measure([handle('a')], signal)
  await settle()
  await clock.advance(500)
  expect(await later).toMatchObject({ cpuShare: 0 })
})

test('several instances are one workload, and one that is gone is left out', async () => {
  const { meter } = meterOf(async ({ id }) => (id === 'gone' ? undefined : { memoryBytes: 10, pids: 2 }))
  expect(await meter.measure([handle('a'), handle('gone'), handle('b')], signal)).toEqual({ memoryBytes: 20, pids: 4 })
  expect(await meter.measure([handle('gone')], signal)).toEqual({ notMeasured: 'it is not running' })
})

test('what cannot be measured has a reason, and is not a sum of the rest', async () => {
  const { meter } = meterOf(async ({ id }) => {
    if (id === 'broken') throw new Error('the engine is away')
    return { memoryBytes: 10, pids: 2 }
  })
  expect(await meter.measure([handle('a'), handle('broken')], signal)).toEqual({ notMeasured: 'the engine is away' })
  const { clock } = meterOf(async () => ({}))
  const dumb = new UsageMeter({ clock, runtime: { name: 'docker' } })
  expect(await dumb.measure([handle('a')], signal)).toEqual({
    notMeasured: expect.stringContaining('does not measure'),
  })
})
