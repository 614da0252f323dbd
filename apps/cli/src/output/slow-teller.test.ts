import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createSlowTeller } from './slow-teller.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

test('a text that stands for long is told though nothing new comes, and again with the time it has taken', () => {
  const lines: string[] = []
  const tell = createSlowTeller((line) => lines.push(line), Date.now)
  tell('fetching')
  vi.advanceTimersByTime(1_000)
  tell('starting')
  vi.advanceTimersByTime(21_000)
  expect(lines).toEqual(['[5 s] starting', '[20 s] starting'])
  tell('')
  vi.advanceTimersByTime(60_000)
  expect(lines).toHaveLength(2)
})

test('what is done soon is not worth a line', () => {
  const lines: string[] = []
  const tell = createSlowTeller((line) => lines.push(line), Date.now)
  tell('fetching')
  vi.advanceTimersByTime(4_000)
  tell('')
  vi.advanceTimersByTime(60_000)
  expect(lines).toEqual([])
})
