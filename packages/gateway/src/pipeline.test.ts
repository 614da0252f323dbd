import { expect, it } from 'vitest'
import { createPipeline } from './pipeline.ts'

it('has one order', () => {
  const pipeline = createPipeline({
    allowedHosts: () => [],
    allowPeer: () => true,
    maxMessageBytes: 1,
    allowedTools: () => undefined,
  })
  expect(pipeline.names).toEqual(['guard', 'limits', 'parse', 'tool-filter'])
})

it('shows a tool list of an unknown shape as empty when there is a filter', () => {
  const pipeline = createPipeline({
    allowedHosts: () => [],
    allowPeer: () => true,
    maxMessageBytes: 1,
    allowedTools: () => new Set(['a']),
  })
  expect(pipeline.toClient('tools/list', { result: { tools: { secret: {} }, nextCursor: 'c' } })).toEqual({
    result: { tools: [], nextCursor: 'c' },
  })
  expect(
    pipeline.toClient('tools/list', { result: { tools: [{ name: 'a' }, { name: 'b' }, null, 'a', { name: ['a'] }] } }),
  ).toEqual({ result: { tools: [{ name: 'a' }] } })
})
