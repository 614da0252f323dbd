import { expect, test } from 'vitest'
import { bulkChoices } from './bulk-choices.ts'

test('what stands is started, and what does not stand is restarted or stopped', () => {
  const servers = [
    { name: 'a', status: 'running' },
    { name: 'b', status: 'stopped' },
    { name: 'c', status: 'error' },
  ] as const
  expect(bulkChoices(servers).map(({ label, names }) => [label, names])).toEqual([
    ['Start', ['b']],
    ['Restart', ['a', 'c']],
    ['Stop', ['a', 'c']],
  ])
  expect(bulkChoices(servers.slice(1, 2)).map(({ command }) => command)).toEqual(['thv restart b'])
})
