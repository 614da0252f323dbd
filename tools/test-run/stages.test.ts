import { expect, test } from 'vitest'
import { LANES, STAGES, stageOf } from './stages.ts'

test('every stage runs in one lane', () => {
  expect(LANES.flat().toSorted((one, other) => one.name.localeCompare(other.name))).toEqual(
    Object.values(STAGES).toSorted((one, other) => one.name.localeCompare(other.name)),
  )
})

test('a file belongs to the stage whose folder it is in', () => {
  expect(stageOf('packages/core/src/errors.ts')).toBeUndefined()
  expect(stageOf('packages/core/src/errors.test.ts')).toBe('unit')
  expect(stageOf('tools/skips.test.ts')).toBe('unit')
  expect(stageOf('conformance/src/table.test.ts')).toBe('unit')
  expect(stageOf('packages/runtimes/src/docker/docker.engine.test.ts')).toBe('engine')
  expect(stageOf('apps/website/tests/routes.test.ts')).toBe('site')
  expect(stageOf('apps/website/site/links.test.ts')).toBe('unit')
  expect(stageOf('apps/console/tests/servers.test.ts')).toBe('console')
  expect(stageOf('apps/console/src/servers/choose-servers.test.ts')).toBe('unit')
  expect(stageOf('e2e/attacks/csrf.test.ts')).toBe('e2e')
  expect(stageOf('conformance/clients.test.ts')).toBe('e2e')
})
