import { closest } from '@toolhaven/core/closest'
import { describe, expect, test } from 'vitest'
import { conflict, notFound } from '@toolhaven/core/errors'
import { orDidYouMean, unknownName } from './did-you-mean.ts'

describe('the closest name', () => {
  for (const [typed, names, meant] of [
    ['tiem', ['fetch', 'time'], 'time'],
    ['Fetch', ['fetch', 'time'], 'fetch'],
    ['everythin', ['everything'], 'everything'],
    ['tme', ['time', 'tim-e'], 'time'],
    ['github', ['gitlab'], 'gitlab'],
    ['postgres', ['time', 'fetch'], undefined],
    ['a', [], undefined],
    ['time', ['filesystem'], undefined],
  ] as const) {
    test(`to ${typed} of ${names.join(', ') || 'none'} is ${meant ?? 'none'}`, () => {
      expect(closest(typed, names)).toBe(meant)
    })
  }
})

describe('an error', () => {
  const names = { wanted: ['tiem', 'fetch'], known: async () => ['time', 'fetch'], seeAll: 'thv list --all' }
  const failing = (error: Error) => async () => {
    throw error
  }

  test('that something was not found says what was meant, and of the unknown name only', async () => {
    const failed = orDidYouMean(names, failing(notFound('workload tiem not found')))
    await expect(failed).rejects.toThrow('workload tiem not found\nDid you mean time? "thv list --all" lists them.')
  })
  test('that something was not found stays what it is when the names cannot be had', async () => {
    const failed = orDidYouMean(
      { ...names, known: failing(new Error('gone')) },
      failing(notFound('workload tiem not found')),
    )
    await expect(failed).rejects.toThrow('workload tiem not found\n"thv list --all" lists them.')
  })
  test('of another kind is left alone', async () => {
    const error = conflict('taken')
    await expect(orDidYouMean(names, failing(error))).rejects.toBe(error)
  })
})

test('a name that is none of those at hand is answered with all of them', () => {
  expect(unknownName('group', 'reserch', ['default', 'research']).message).toBe(
    'group reserch not found\nDid you mean research? There are: default, research.',
  )
  expect(unknownName('group', 'x', []).message).toBe('group x not found\nThere is none.')
})
