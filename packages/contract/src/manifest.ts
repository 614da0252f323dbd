import * as z from 'zod'
import { CLIENT_TYPES, parseClientType } from './client-types.ts'
import { DEFAULT_GROUP, groupName, workloadName } from './names.ts'
import { createRequest } from './workload-request.ts'

/** Marks workloads that `thv apply` made. Its value is the `name` of the file they came from. */
export const APPLY_LABEL = 'toolhaven.apply'

const manifestWorkload = createRequest.omit({ folder: true, server_json: true }).extend({ name: workloadName })
export type ManifestWorkload = z.infer<typeof manifestWorkload>

const manifestClient = z.strictObject({
  name: z
    .string()
    .refine((text) => parseClientType(text) !== undefined, {
      error: () => `is not a known client; known are ${CLIENT_TYPES.join(', ')}`,
    })
    .meta({ description: 'A client type, in either spelling (RooCode or roo-code)' }),
  groups: z.array(groupName).min(1, 'must name at least one group').optional(),
})

const manifestRegistry = z
  .strictObject({
    url: z.string().min(1).optional(),
    local_path: z.string().min(1).optional(),
    allow_private_ip: z.boolean().optional(),
  })
  .refine((registry) => !(registry.url && registry.local_path), 'takes url or local_path, not both')
  .meta({ description: 'Where servers come from; {} means the built-in registry' })

/** Everything that one file can say about a daemon. `thv apply` does not change what the file does not mention. */
export const manifest = z
  .strictObject({
    format: z.literal(1, {
      error: ({ input }) =>
        input === undefined
          ? 'is missing; begin the file with "format: 1"'
          : 'must be 1, the only format that this version reads; a file for a newer Toolhaven needs that one',
    }),
    name: workloadName
      .default('toolhaven')
      .meta({ description: 'Marks what this file made, so that thv apply leaves everything else alone' }),
    registry: manifestRegistry.optional(),
    groups: z.array(groupName).default([]),
    workloads: z.array(manifestWorkload).default([]),
    clients: z.array(manifestClient).default([]),
  })
  .superRefine((file, context) => {
    const fault = (path: (string | number)[], message: string) => context.addIssue({ code: 'custom', path, message })
    const groups = new Set([DEFAULT_GROUP, ...file.groups])
    for (const [at, name] of repeated(file.groups)) fault(['groups', at], `${name} is listed twice`)
    // Names are unique without regard to case.
    for (const [at, name] of repeated(file.workloads.map((workload) => workload.name.toLowerCase())))
      fault(['workloads', at, 'name'], `${name} is the name of two workloads`)
    for (const [at, name] of repeated(file.clients.map((client) => parseClientType(client.name) ?? client.name)))
      fault(['clients', at, 'name'], `${name} is listed twice`)
    for (const [at, { group }] of file.workloads.entries())
      if (group && !groups.has(group)) fault(['workloads', at, 'group'], `${group} is not listed under groups`)
    for (const [at, client] of file.clients.entries())
      for (const [index, group] of (client.groups ?? []).entries())
        if (!groups.has(group)) fault(['clients', at, 'groups', index], `${group} is not listed under groups`)
    for (const [at, { image, url, labels }] of file.workloads.entries()) {
      if (!image && !url) fault(['workloads', at], 'needs image or url')
      if (labels && APPLY_LABEL in labels) fault(['workloads', at, 'labels', APPLY_LABEL], 'is set by thv apply itself')
    }
  })
export type Manifest = z.infer<typeof manifest>

/** One difference between the file and the daemon. */
export const manifestChange = z.strictObject({
  action: z.enum(['create', 'update', 'replace', 'start', 'remove']),
  kind: z.enum(['group', 'registry', 'workload', 'client']),
  name: z.string(),
  /** Has no values of variables and headers, because they may be keys. */
  fields: z.array(z.strictObject({ field: z.string(), from: z.unknown().optional(), to: z.unknown().optional() })),
})
export type ManifestChange = z.infer<typeof manifestChange>

/** What `thv diff --format json` prints. */
export const diffReport = z.strictObject({ equal: z.boolean(), changes: z.array(manifestChange) })

/** What `thv apply --format json` prints. */
export const applyReport = z.strictObject({
  changes: z.array(manifestChange.extend({ outcome: z.enum(['done', 'failed']), reason: z.string().optional() })),
})

function repeated(names: readonly string[]): [number, string][] {
  return [...names.entries()].filter(([at, name]) => names.indexOf(name) !== at)
}
