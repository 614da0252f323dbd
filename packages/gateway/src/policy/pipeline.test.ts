import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { expect, it } from 'vitest'
import { createPipeline, type Pipeline } from './pipeline.ts'
import type { PipelineContext } from './pipeline-context.ts'
import { TaskOwners } from '../sessions/task-owners.ts'

const quiet = () => {}
const context: PipelineContext = {
  allowedHosts: () => [],
  allowPeer: () => true,
  maxMessageBytes: 1,
  allowedTools: () => undefined,
  origin: 'http://127.0.0.1:1',
  workload: 'w',
  sessions: new Map(),
  tasks: new TaskOwners(),
  identityFetch: () => () => Promise.reject(new Error('nobody there')),
  logger: { debug: quiet, info: quiet, warn: quiet, error: quiet },
}

const names = ({ lists }: Pipeline) => {
  const of = (list: readonly { name: string }[]) => list.map(({ name }) => name)
  return { gates: of(lists.gates), observers: of(lists.observers), decisions: of(lists.decisions) }
}
const authentication = { issuer: 'https://id.example.com' }

it('has what is configured and nothing else', async () => {
  expect(names(await createPipeline(context))).toEqual({
    gates: ['limits'],
    observers: [],
    decisions: ['tool-filter'],
  })
})

it('counts callers once it is known who they are, and shows measurements only to those who may call', async () => {
  const telemetry = { serviceName: 'w', samplingRate: 1, attributes: {}, hasMetricsPath: true }
  const pipeline = await createPipeline({ ...context, authentication, telemetry, requestsPerMinute: 9 })
  expect(names(pipeline)).toEqual({
    gates: ['authentication', 'limits', 'metrics-page'],
    observers: ['telemetry'],
    decisions: ['limits', 'caller-state', 'tool-filter'],
  })
})

it('looks at policies after names and before the filter', async () => {
  const pipeline = await createPipeline({
    ...context,
    authentication,
    authorization: { policies: ['permit(principal, action, resource);'] },
    toolsOverride: { a: { name: 'b' } },
    audit: {
      ...{ component: 'w', eventTypes: [], excludeEventTypes: [], hasRequestData: false, hasResponseData: false },
      maxDataBytes: 1,
    },
    openAuditLog: async () => ({ write: quiet, close: async () => {} }),
  })
  expect(names(pipeline)).toEqual({
    gates: ['authentication', 'limits'],
    observers: ['audit'],
    decisions: ['caller-state', 'tools-override', 'authorization', 'tool-filter'],
  })
})

it('shows a tool list of an unknown shape as empty when there is a filter', async () => {
  const pipeline = await createPipeline({ ...context, allowedTools: () => new Set(['a']) })
  const list = { kind: 'request', id: 1, method: 'tools/list', params: undefined, body: {}, text: '' } as const
  const asker = { session: undefined, from: new IncomingMessage(new Socket()), headers: () => ({}), id: 1 }
  const shown = (result: object) => pipeline.toClient(list, { result }, asker)
  expect(shown({ tools: { secret: {} }, nextCursor: 'c' })).toEqual({ result: { tools: [], nextCursor: 'c' } })
  expect(shown({ tools: [{ name: 'a' }, { name: 'b' }, null, 'a', { name: ['a'] }] })).toEqual({
    result: { tools: [{ name: 'a' }] },
  })
})
