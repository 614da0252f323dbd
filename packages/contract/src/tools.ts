import * as z from 'zod'
import { workloadName } from './names.ts'
import { API_PREFIX, noWorkload, ok, type Routes } from './route.ts'
import { wellFormedText } from './text.ts'

const hash = z.string().meta({ description: 'SHA-256 of the whole definition, whatever the order of its keys' })

/** What models read as instructions, or what names such text. */
export const lockPart = z.enum(['tool', 'prompt', 'resource_template', 'instructions'])
export type LockPart = z.infer<typeof lockPart>

export const lockedTool = z
  .strictObject({
    name: z.string().meta({ description: 'As the server calls it; of a resource template, its uriTemplate' }),
    hash,
    state: z
      .enum(['unchanged', 'changed', 'added', 'removed'])
      .meta({ description: 'What the server has now, against what was accepted' }),
    definition: z.unknown().meta({ description: 'As it was accepted; of what was added, as the server has it' }),
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
    description: 'What became of a value, word by word. Characters that nobody would see are escaped, as in \\u{200b}',
  })
export type ChangedField = z.infer<typeof changedField>

export const toolChange = z
  .strictObject({
    part: lockPart.meta({ description: 'What changed' }),
    name: z.string().meta({
      description: 'Its name (of a resource template, its uriTemplate), with what is hidden in it escaped',
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
    mode: z.enum(['warn', 'block']).meta({ description: 'What happens to what changed or was added: tools_changed' }),
    since: z.iso.datetime().meta({ description: 'When its tools were first seen, and thereby accepted' }),
    seen_at: z.iso.datetime().optional().meta({ description: 'When the changes were first seen' }),
    revision: z.string().optional().meta({ description: 'Names what the server has now, for accepting just that' }),
    tools: z.array(lockedTool).meta({ description: 'Tools' }),
    prompts: z.array(lockedTool).meta({ description: 'Prompts' }),
    resource_templates: z.array(lockedTool).meta({ description: 'Resource templates' }),
    instructions: lockedTool.optional().meta({ description: 'Left out: the server gave none' }),
    changes: z.array(toolChange).meta({ description: 'Empty: the server has what was accepted' }),
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
      description: 'The revision that you looked at; when the server has something else by now, nothing is accepted',
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
      'The tools, prompts, resource templates and instructions of a workload are accepted as they are first seen. When its ' +
      'server has others later, each difference is here, field by field and word by word, until it is accepted or the server ' +
      'has what was accepted again.',
    params,
    success: ok(toolLock, 'The tools and the differences', example),
    errors: {
      ...noWorkload,
      409: {
        when: 'its tools were not seen yet',
        example: 'the tools of everything were not seen yet: start it, or wait until a client lists them',
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
      'From now on these are the tools, prompts, resource templates and instructions that should be there. With tools_changed ' +
      '"block" clients see and use them again.',
    params,
    body: acceptToolsRequest,
    bodyExample: { tools: ['search'], revision: 'c3a0…' },
    success: ok(toolLock, 'What is accepted now, and what still differs', { ...example, changes: [] }),
    errors: {
      404: {
        when: 'no workload of that name, or no change of that name',
        example: 'echo: no change of it waits to be accepted; "thv tools diff everything" shows those that do',
      },
      409: {
        when: 'its tools were not seen yet, or they changed again since they were shown',
        example: 'the tools of everything changed again since they were shown; look at them again',
      },
    },
    extension: true,
  },
} as const satisfies Routes
