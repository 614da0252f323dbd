import { z } from 'zod'
import { LABELS, type RuntimeEvent, type RuntimeName } from '@toolhaven/core/ports/runtime'
import { unavailable } from '@toolhaven/core/errors'
import { inspectContainer } from './containers.ts'
import type { EngineClient } from './engine-client.ts'
import { refusal } from './engine-fault.ts'
import { jsonLines } from './json-lines.ts'

const eventSchema = z.looseObject({
  Type: z.string().optional(),
  Action: z.string(),
  Actor: z.looseObject({ ID: z.string(), Attributes: z.record(z.string(), z.string()).nullish() }),
})

/** Facts that the engine mixes into the labels of an event. */
const NOT_LABELS = new Set([
  'image',
  'name',
  'exitCode',
  'signal',
  'execDuration',
  'containerExitCode',
  'PodId',
  'podId',
])

/** Yields the starts and ends of Toolhaven's containers. Ends when aborted; throws `unavailable` when the stream breaks. */
export async function* engineEvents(
  client: EngineClient,
  runtime: RuntimeName,
  signal: AbortSignal,
): AsyncGenerator<RuntimeEvent> {
  // Podman's label filter needs a value too and finds nothing by the key alone, so every container is reported.
  const filters = JSON.stringify({ type: ['container'], ...(runtime === 'docker' ? { label: [LABELS.marker] } : {}) })
  const response = await client
    .stream({ method: 'GET', path: '/events', query: { filters } }, signal)
    .catch((error: unknown) => {
      throw refusal('report events', error)
    })
  try {
    for await (const value of jsonLines(client.label, response, signal)) {
      const event = await runtimeEvent(client, runtime, value, signal)
      if (event !== undefined) yield event
    }
  } catch (error) {
    if (signal.aborted) return
    throw error
  }
  if (!signal.aborted) throw unavailable(`${client.label} ended its stream of events.`)
}

async function runtimeEvent(
  client: EngineClient,
  runtime: RuntimeName,
  value: unknown,
  signal: AbortSignal,
): Promise<RuntimeEvent | undefined> {
  const { Action: action, Actor: actor } = eventSchema.parse(value)
  const attributes = actor.Attributes ?? {}
  if (attributes[LABELS.marker] === undefined || attributes['name'] === undefined) return undefined
  const handle = { runtime, id: actor.ID, name: attributes['name'] }
  const labels = Object.fromEntries(Object.entries(attributes).filter(([key]) => !NOT_LABELS.has(key)))
  switch (action) {
    case 'start':
      return { kind: 'started', handle, labels }
    case 'destroy':
    case 'remove':
      return { kind: 'removed', handle, labels }
    case 'die':
    case 'died': {
      const exitCode = Number(attributes['exitCode'] ?? attributes['containerExitCode'] ?? 0)
      // Only the container's record says why it was killed. It may already be gone; then the reason is not reported.
      const container = await inspectContainer(client, actor.ID, signal)
      return { kind: 'exited', handle, labels, exitCode, oomKilled: container?.State.OOMKilled ?? false }
    }
    default:
      return undefined
  }
}
