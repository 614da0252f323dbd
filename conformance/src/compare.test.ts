import { expect, it } from 'vitest'
import { differences, hasFailed, isEqual } from './compare.ts'

const passed = { id: 'a', status: 'SUCCESS' }
const warned = { id: 'b', status: 'WARNING', errorMessage: 'odd' }
const failed = { id: 'b', status: 'FAILURE', errorMessage: 'bad' }
const noted = { id: 'seen', status: 'INFO' }

it('takes the same verdicts in another order, and notes between them, as equal', () => {
  expect(isEqual([passed, warned, noted], [warned, passed])).toBe(true)
  expect(differences([passed, warned, noted], [warned, passed])).toEqual([])
})

it('tells a warning from a failure, and one verdict from two of them', () => {
  expect(isEqual([warned], [failed])).toBe(false)
  expect(isEqual([passed], [passed, passed])).toBe(false)
  expect(differences([passed, warned], [passed, passed, failed])).toEqual([
    'direct: b WARNING odd',
    'proxied: a SUCCESS ',
    'proxied: b FAILURE bad',
  ])
})

it('counts only failures as failed', () => {
  expect(hasFailed([passed, warned])).toBe(false)
  expect(hasFailed([passed, failed])).toBe(true)
})
