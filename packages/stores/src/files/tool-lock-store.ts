import { workloadName } from '@toolhaven/contract/names'
import type { Logger } from '@toolhaven/core/ports/logger'
import type { LockedDefinition, LockedPart, RecordStore, SeenList, StoredToolLock } from '@toolhaven/core/ports/stores'
import * as z from 'zod'
import { createRecordStore } from './record-store.ts'

const definitions = z.array(
  z.strictObject({
    name: z.string(),
    hash: z.string(),
    // Readers parse these values again, so a damaged file is set aside here.
    definition: z.string().refine(isJson, 'must be JSON'),
  }) satisfies z.ZodType<LockedDefinition>,
)

const seenList = z.strictObject({
  at: z.string(),
  revision: z.string(),
  definitions,
  kind: z.string().exactOptional(),
}) satisfies z.ZodType<SeenList>

const part = (
  z.strictObject({
    accepted: definitions,
    kind: z.string().exactOptional(),
    only: z.record(z.string(), definitions).exactOptional(),
    seen: seenList.exactOptional(),
    others: z.array(seenList).exactOptional(),
  }) satisfies z.ZodType<LockedPart>
).exactOptional()

const storedToolLock = z.strictObject({
  name: workloadName,
  since: z.string(),
  parts: z.strictObject({ tool: part, prompt: part, resource_template: part, instructions: part }),
}) satisfies z.ZodType<StoredToolLock>

/** Format 1 contained only tools. The missing parts are accepted as they are first seen. */
const toolsOnly = z.strictObject({
  name: z.unknown(),
  since: z.unknown(),
  tools: z.unknown(),
  seen: z.strictObject({ at: z.unknown(), revision: z.unknown(), tools: z.unknown() }).exactOptional(),
})

function withParts(old: unknown): unknown {
  const { name, since, tools, seen } = toolsOnly.parse(old)
  const later = seen && { seen: { at: seen.at, revision: seen.revision, definitions: seen.tools } }
  return { name, since, parts: { tool: { accepted: tools, ...later } } }
}

/** The accepted tools (and prompts, …) of workloads, one file per workload. */
export function createToolLockStore(options: { dir: string; logger: Logger }): RecordStore<StoredToolLock> {
  return createRecordStore<StoredToolLock>({
    ...options,
    schema: storedToolLock,
    format: 2,
    migrations: { 1: withParts },
    keepsDamaged: true,
    quotesServers: true,
    nameOf: ({ name }) => name,
  })
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    // The caller reports the fault.
    return false
  }
}
