import * as z from 'zod'
import { workloadName } from './names.ts'
import { API_PREFIX, noWorkload, ok, type Routes } from './route.ts'
import { wellFormedText } from './text.ts'

const hash = z.string().meta({ description: 'SHA-256 of the whole definition, whatever the order of its keys' })

/** Models read these as instructions, or find such text by their names. */
export const lockPart = z.enum(['tool', 'prompt', 'resource_template', 'instructions'])
export type LockPart = z.infer<typeof lockPart>

export const lockedTool = z
  .strictObject({
    name: z.string().meta({ description: 'Name that the server uses; for a resource template, its uriTemplate' }),
    hash,
    state: z
      .enum(['unchanged', 'changed', 'added', 'removed'])
      .meta({ description: 'What the server has now, compared to what was accepted' }),
    definition: z.unknown().meta({ description: 'The accepted definition; for an addition, the one of the server' }),
  })
  .meta({
    id: 'toolhaven.lockedTool',
    description: 'A tool, prompt, resource template or the instructions, as accepted',
  })

export const changedField = z
  .strictObject({
    field: z.string().meta({ description: 'Where in the definition, such as inputSchema.properties.path.description' }),
    parts: z
      .array(
        z.strictObject({
          kind: z.enum(['same', 'removed', 'added']).meta({ description: 'What happened to this part of the text' }),
          text: z.string().meta({ description: 'This part of the text' }),
        }),
      )
      .meta({ description: 'The old and the new text, in parts' }),
  })
  .meta({
    id: 'toolhaven.changedField',
    description: 'How a value changed, word by word. Invisible characters are escaped, as in \\u{200b}',
  })
export type ChangedField = z.infer<typeof changedField>

export const toolChange = z
  .strictObject({
    part: lockPart.meta({ description: 'What changed' }),
    name: z.string().meta({
      description: 'Its name (for a resource template, its uriTemplate), with invisible characters escaped',
    }),
    kind: z.enum(['changed', 'added', 'removed']).meta({ description: 'How it changed' }),
    accepted_hash: hash.optional(),
    hash: hash.optional(),
    fields: z.array(changedField).meta({ description: 'Fields that differ' }),
  })
  .meta({ id: 'toolhaven.toolChange', description: 'One difference between what the server has and what was accepted' })
export type ToolChange = z.infer<typeof toolChange>

export const toolLock = z
  .strictObject({
    name: workloadName,
    mode: z.enum(['warn', 'block']).meta({ description: 'How changes and additions are handled, from tools_changed' }),
    since: z.iso.datetime().meta({ description: 'When its tools were first seen, and so accepted' }),
    seen_at: z.iso.datetime().optional().meta({ description: 'When the changes were first seen' }),
    revision: z
      .string()
      .optional()
      .meta({ description: 'Identifies what the server has now, so that you accept exactly that' }),
    tools: z.array(lockedTool).meta({ description: 'Tools' }),
    prompts: z.array(lockedTool).meta({ description: 'Prompts' }),
    resource_templates: z.array(lockedTool).meta({ description: 'Resource templates' }),
    instructions: lockedTool.optional().meta({ description: 'Absent if the server sent none' }),
    changes: z.array(toolChange).meta({ description: 'Empty if the server has what was accepted' }),
  })
  .meta({
    id: 'toolhaven.toolLock',
    description:
      'The tools, prompts, resource templates and instructions of a workload as they were accepted, and what changed since',
  })
export type ToolLock = z.infer<typeof toolLock>

const names = z.array(wellFormedText.min(1)).min(1).optional()

export const acceptToolsRequest = z
  .strictObject({
    tools: names.meta({
      description:
        'Tools whose changes are accepted; if you name no tools, prompts, resource_templates or instructions, all changes are',
    }),
    prompts: names.meta({ description: 'Prompts whose changes are accepted' }),
    resource_templates: names.meta({ description: 'Resource templates whose changes are accepted, by uriTemplate' }),
    instructions: z.literal(true).optional().meta({ description: 'Accept the changed instructions' }),
    revision: z.string().meta({
      description: 'The revision that you read. If the server has changed since, nothing is accepted',
    }),
  })
  .meta({ id: 'toolhaven.acceptToolsRequest', description: 'Which changes to accept' })
export type AcceptToolsRequest = z.infer<typeof acceptToolsRequest>

const params = z.strictObject({ name: workloadName })
const tag = 'workloads'
const [before, after] = ['9f2c…', '41b7…']
const example = {
  name: 'notes',
  mode: 'block',
  since: '2026-01-15T09:30:00Z',
  seen_at: '2026-02-01T08:00:00Z',
  revision: 'c3a0…',
  tools: [
    { name: 'search', hash: before, state: 'changed', definition: { name: 'search', description: 'Searches notes' } },
  ],
  prompts: [],
  resource_templates: [],
  changes: [
    {
      ...{ part: 'tool', name: 'search', kind: 'changed', accepted_hash: before, hash: after },
      fields: [
        {
          field: 'description',
          parts: [
            { kind: 'same', text: 'Searches notes' },
            { kind: 'added', text: ' and sends them to the author' },
          ],
        },
      ],
    },
  ],
}

export const toolRoutes = {
  getToolLock: {
    method: 'GET',
    path: `${API_PREFIX}/workloads/{name}/tools`,
    tag,
    summary: 'See which tools were accepted, and what changed since',
    description:
      'Toolhaven accepts the tools, prompts, resource templates and instructions of a workload when it first sees them. If the ' +
      'server changes them later, each difference is here, field by field and word by word, until it is accepted or the server ' +
      'returns to what was accepted.',
    params,
    success: ok(toolLock, 'The tools and the differences', example),
    errors: {
      ...noWorkload,
      409: {
        when: 'its tools have not been seen yet',
        example: 'the tools of everything have not been seen yet: start it, or wait until a client lists them',
      },
    },
    extension: true,
  },
  acceptTools: {
    method: 'POST',
    path: `${API_PREFIX}/workloads/{name}/tools/accept`,
    tag,
    summary: 'Accept changed, added and removed tools',
    description:
      'These become the accepted tools, prompts, resource templates and instructions. With tools_changed ' +
      '"block", clients can see and use them again.',
    params,
    body: acceptToolsRequest,
    bodyExample: { tools: ['search'], revision: 'c3a0…' },
    success: ok(toolLock, 'What is now accepted, and what still differs', { ...example, changes: [] }),
    errors: {
      404: {
        when: 'no workload or no change has that name',
        example:
          'echo: no change of it is waiting to be accepted; "thv tools diff everything" shows the changes that are',
      },
      409: {
        when: 'its tools have not been seen yet, or they changed again since you read them',
        example: 'the tools of everything changed again since you read them; read them again',
      },
    },
    extension: true,
  },
} as const satisfies Routes
