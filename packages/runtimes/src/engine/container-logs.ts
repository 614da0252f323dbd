import { once } from 'node:events'
import type { InstanceHandle, LogChunk, LogOptions } from '@toolhaven/core/ports/runtime'
import { createDemultiplexer } from './demultiplex.ts'
import { brokenOff, type EngineClient } from './engine-client.ts'
import { refusal } from './engine-fault.ts'

/** Reads the engine's log of an instance. If a follow is aborted, it just ends. */
export async function* containerLogs(
  client: EngineClient,
  handle: InstanceHandle,
  options: LogOptions,
  signal: AbortSignal,
): AsyncGenerator<LogChunk> {
  const query = {
    stdout: true,
    stderr: true,
    follow: options.follow ?? false,
    tail: options.tail ?? 'all',
    ...(options.since === undefined ? {} : { since: (Date.parse(options.since) / 1000).toFixed(3) }),
  }
  const path = `/containers/${encodeURIComponent(handle.id)}/logs`
  const response = await client.stream({ method: 'GET', path, query }, signal).catch((error: unknown) => {
    throw refusal(`read the log of ${handle.name}`, error)
  })
  let ready: LogChunk[] = []
  const push = createDemultiplexer({
    onStdout: (data) => ready.push({ stream: 'stdout', data }),
    onStderr: (data) => ready.push({ stream: 'stderr', data }),
  })
  try {
    for await (const chunk of response) {
      push(chunk)
      yield* ready
      ready = []
    }
  } catch (cause) {
    if (signal.aborted && options.follow === true) return
    throw brokenOff(client.label, cause, signal)
  } finally {
    if (!response.closed) {
      response.destroy()
      await once(response, 'close')
    }
  }
}
