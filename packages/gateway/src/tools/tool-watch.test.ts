import { afterEach, expect, it, vi } from 'vitest'
import { silentLogger } from '@toolhaven/fakes/memory-stores'
import { toHandshake, type BackendLink } from '../servers/backend.ts'
import type { Call } from '../sessions/call.ts'
import { DEFAULT_LIMITS } from '../endpoint/options.ts'
import { Session } from '../sessions/session.ts'
import { ToolWatch } from './tool-watch.ts'

function perSession(request: BackendLink['request']): BackendLink {
  return {
    handshake: toHandshake({}),
    era: 'legacy',
    isPerSession: true,
    result: {},
    initialize: async () => ({}),
    request,
    notify: () => {},
    respond: () => {},
    listen: () => {},
    endSession: () => {},
    ping: async () => {},
    stop: () => {},
  }
}

afterEach(() => vi.useRealTimers())

it('does not look without end at a server that is another one each time it is looked at', async () => {
  vi.useFakeTimers()
  const session = new Session('modern', '2025-11-25', {}, DEFAULT_LIMITS)
  let looks = 0
  const request = (call: Call) => {
    looks++
    queueMicrotask(() => {
      watch.changed(session)
      call.fail('the server forgot the session')
    })
  }
  const link = perSession(request)
  const watch: ToolWatch = new ToolWatch({
    name: 'w',
    events: {},
    logger: silentLogger,
    server: async () => link,
    link: () => link,
  })
  watch.changed(session)
  await vi.advanceTimersByTimeAsync(20_000)
  expect(looks).toBe(1)
  await vi.advanceTimersByTimeAsync(20_000)
  expect(looks).toBe(2)
  watch.close()
})

it.each([-32_602, -32_600, -32_603])(
  'a server that declares no tools and answers with %i has none, which is known',
  async (code) => {
    const seen: unknown[] = []
    const link = { ...perSession(() => {}), ask: async () => ({ error: { code, message: 'no such thing' } }) }
    const watch = new ToolWatch({
      name: 'w',
      events: { onDefinitions: (_name, part, { definitions }) => void seen.push([part, definitions]) },
      logger: silentLogger,
      server: async () => link,
      link: () => link,
    })
    await watch.connecting(link, new AbortController().signal)
    expect(seen).toContainEqual(['tool', []])
    seen.length = 0
    const withTools = { ...link, result: { capabilities: { tools: {} } } }
    await watch.connecting(withTools, new AbortController().signal)
    expect(seen).not.toContainEqual(['tool', []])
    watch.close()
  },
)

it.each(['prompt', 'resource_template'] as const)(
  'an error is not a first list of a server without tools: %s',
  async (part) => {
    const seen: string[] = []
    const result = { capabilities: { prompts: {}, resources: {} } }
    const link = {
      ...perSession(() => {}),
      result,
      ask: async () => ({ error: { code: -32_603, message: 'not yet' } }),
    }
    const watch = new ToolWatch({
      name: 'w',
      events: { onDefinitions: (_name, each) => void seen.push(each) },
      logger: silentLogger,
      server: async () => link,
      link: () => link,
    })
    await watch.connecting(link, new AbortController().signal)
    expect(seen).toContain('tool')
    expect(seen).not.toContain(part)
    watch.close()
  },
)
