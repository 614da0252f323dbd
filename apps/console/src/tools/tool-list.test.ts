import { expect, test } from 'vitest'
import { planTools } from './tool-list.ts'

const toggled = (...names: string[]) => new Set(names)

test('a tool that appears after a tick is not part of the plan', () => {
  expect(planTools(['add', 'echo', 'new'], ['add'], toggled('echo'))).toEqual({
    ...{ on: ['add', 'echo'], added: ['echo'], removed: [] },
    filter: ['add', 'echo'],
  })
  const { added, removed } = planTools(['add', 'echo', 'new'], [], toggled('echo'))
  expect({ added, removed }).toEqual({ added: [], removed: ['echo'] })
})

test('a name of the filter that the server does not offer now stays', () => {
  expect(planTools(['add', 'echo', 'grep'], ['add', 'later'], toggled('echo')).filter).toEqual(['later', 'add', 'echo'])
})

test('with all tools on there is no filter, and with none ticked nothing is on', () => {
  expect(planTools(['add', 'echo'], ['add'], toggled('echo')).filter).toEqual([])
  expect(planTools(['add', 'echo'], [], toggled('add', 'echo')).on).toEqual([])
})
