import { expect, test } from 'vitest'
import { progressLine } from './progress-line.ts'

const event = { workload: 'time', status: 'starting', status_context: 'pulling web, 50 %' } as const

test('a bar shows how much is done, where that is known', () => {
  expect(progressLine({ ...event, progress: { phase: 'pulling', done: 5, total: 10 } })).toBe(
    '[##########..........] time: pulling web, 50 %',
  )
  expect(progressLine({ ...event, progress: { phase: 'pulling', done: 12, total: 10 } })).toMatch(/^\[#{20}\] /)
  expect(progressLine({ ...event, progress: { phase: 'pulling', total: 0, done: 0 } })).toBe('time: pulling web, 50 %')
})

test('without a context the status is told', () => {
  expect(progressLine({ ...event, status_context: '' })).toBe('time: starting')
})
