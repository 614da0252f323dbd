import { expect } from 'vitest'
import type { InstanceHandle, LogOptions, Runtime, RuntimeEvent } from '@toolhaven/core/ports/runtime'
import { until } from '../testbed/until.ts'
import { signal, untilExited, untilSaid, type RuntimeCases } from './session.ts'

export const outputCases: RuntimeCases = {
  'gives the whole log, oldest first, streams told apart': async ({ runtime, create }) => {
    const handle = await create(['both'])
    await runtime.start(handle, signal())
    await untilExited(runtime, handle)
    expect(await logText(runtime, handle, {})).toEqual({ stdout: 'to stdout\n', stderr: 'to stderr\n' })
  },

  'gives the last lines of the log': async ({ runtime, create }) => {
    const handle = await create(['lines', '50'])
    await runtime.start(handle, signal())
    await untilExited(runtime, handle)
    expect((await logText(runtime, handle, { tail: 3 })).stdout).toBe('line 48\nline 49\nline 50\n')
  },

  'follows the log until the instance ends': async ({ runtime, open }) => {
    const { handle, pipe } = await open(['ticks'])
    await untilSaid(pipe, 'tick 1')
    const followed: string[] = []
    const done = (async () => {
      for await (const chunk of runtime.logs(handle, { follow: true }, signal()))
        followed.push(Buffer.from(chunk.data).toString())
    })()
    await until('later ticks are followed', () => followed.join('').includes('tick 5\n') || undefined)
    await runtime.stop(handle, 100, signal())
    await done
    expect(followed.join('')).toMatch(/^tick 1\ntick 2\n/)
  },

  'stops following when it is told to': async ({ runtime, open }) => {
    const { handle, pipe } = await open(['ticks'])
    await untilSaid(pipe, 'tick 1')
    const stop = new AbortController()
    for await (const chunk of runtime.logs(handle, { follow: true }, stop.signal)) {
      expect(chunk.stream).toBe('stdout')
      stop.abort()
    }
    expect(await runtime.inspect(handle, signal())).toMatchObject({ state: 'running' })
  },

  'tells of lives and deaths as they happen': async ({ runtime, create }) => {
    const stop = new AbortController()
    const seen: RuntimeEvent[] = []
    const listening = listen(runtime, seen, stop.signal)
    const handle = await create(['exit', '4'])
    await startUntilHeard(runtime, handle, seen)
    const exited = await until('the death is told', () =>
      seen.find((event) => event.handle.name === handle.name && event.kind === 'exited'),
    )
    expect(exited).toMatchObject({ kind: 'exited', exitCode: 4, oomKilled: false, handle })
    await runtime.remove(handle, signal())
    await until('the removal is told', () =>
      seen.find((event) => event.handle.name === handle.name && event.kind === 'removed'),
    )
    expect(seen.find((event) => event.kind === 'started')?.labels).toMatchObject({ 'toolhaven-name': handle.name })
    stop.abort()
    await listening
  },
}

async function listen(runtime: Runtime, seen: RuntimeEvent[], until: AbortSignal): Promise<void> {
  for await (const event of runtime.events(until)) seen.push(event)
}

/** Nothing tells when the event stream is open, so this starts the instance again until an event arrives. */
async function startUntilHeard(runtime: Runtime, handle: InstanceHandle, seen: RuntimeEvent[]): Promise<void> {
  await until('a start is told', async () => {
    await runtime.start(handle, signal())
    await untilExited(runtime, handle)
    await new Promise((resolve) => setTimeout(resolve, 100))
    return seen.some((event) => event.kind === 'started' && event.handle.name === handle.name) || undefined
  })
}

async function logText(
  runtime: Runtime,
  handle: InstanceHandle,
  options: LogOptions,
): Promise<{ stdout: string; stderr: string }> {
  const text = { stdout: '', stderr: '' }
  for await (const chunk of runtime.logs(handle, options, signal()))
    text[chunk.stream] += Buffer.from(chunk.data).toString()
  return text
}
