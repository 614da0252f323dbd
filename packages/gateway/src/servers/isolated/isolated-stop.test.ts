import { silentLogger } from '@toolhaven/fakes/memory-stores'
import { expect, it } from 'vitest'
import { requestOf } from '../../messages/json-rpc.ts'
import { DEFAULT_LIMITS } from '../../endpoint/options.ts'
import { Session } from '../../sessions/session.ts'
import { never } from '../../../test/support/gateway.ts'
import { scriptedServer } from '../../../test/support/scripted-server.ts'
import { connectIsolated } from './isolated.ts'

const HELLO = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 's', version: '1' } }

it('a client that got hold of a workload just before it was stopped has no process started', async () => {
  let started = 0
  const another = () => {
    started += 1
    const { channel } = scriptedServer(({ id }) => (id === undefined ? undefined : { result: HELLO }))
    return { kind: 'stdio' as const, channel, processId: `p${started}`, start: async () => {} }
  }
  const { link } = await connectIsolated(
    {
      ...{ name: 'w', limits: DEFAULT_LIMITS, logger: silentLogger, opening: 'initialize' },
      backend: {
        kind: 'isolated',
        first: another(),
        claimFirst: () => async () => {},
        startAnother: async () => ({ tag: 't', server: another(), end: async () => {} }),
      },
      onOutput: () => {},
      onLost: () => {},
      endSession: () => {},
    },
    never,
  )
  link.stop('the workload was stopped', false)
  const session = new Session('streamable-http', '2025-11-25', {}, DEFAULT_LIMITS)
  const opened = link.initialize(session, requestOf(1, 'initialize', {}), {})
  await expect(opened).rejects.toThrow('the workload was stopped')
  expect(started).toBe(1)
})
