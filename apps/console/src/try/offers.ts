import * as z from 'zod'
import { ownValue } from '../schema/json-schema.ts'
import { type JsonObject, jsonObject } from './mcp-messages.ts'
import type { McpSession } from './mcp-session.ts'

const text = z.string().optional().catch(undefined)
const named = { title: text, description: text }

const tool = z.object({ ...named, name: z.string(), inputSchema: jsonObject.catch({}) })
const resource = z.object({ ...named, uri: z.string(), name: text, mimeType: text })
const template = z.object({ ...named, uriTemplate: z.string(), name: text })
const argument = z.object({ ...named, name: z.string(), required: z.boolean().optional().catch(undefined) })
const prompt = z.object({ ...named, name: z.string(), arguments: z.array(argument).catch([]) })

export type OfferKind = 'tool' | 'resource' | 'template' | 'prompt'

/** Something to try, in one shape for all kinds. */
export interface Offer {
  kind: OfferKind
  /** What names it: of a resource its address, of a template the pattern of addresses. */
  id: string
  title: string | undefined
  description: string | undefined
  /** JSON schema of what it takes. */
  schema: JsonObject
}

/** More than anybody looks through. */
const MOST_PAGES = 50

/** What clients see of a server: after its filter, its policies and its other names for tools. */
export async function listOffers(session: McpSession, signal: AbortSignal): Promise<Offer[]> {
  const { tools, resources, prompts } = await session.capabilities()
  const list = (isThere: unknown, method: string, key: string) =>
    isThere === undefined ? [] : listAll(session, method, key, signal)
  const [toolList, resourceList, templateList, promptList] = await Promise.all([
    list(tools, 'tools/list', 'tools'),
    list(resources, 'resources/list', 'resources'),
    // A server that has resources need not know templates.
    Promise.resolve(list(resources, 'resources/templates/list', 'resourceTemplates')).catch(() => []),
    list(prompts, 'prompts/list', 'prompts'),
  ])
  return [
    ...readable(tool, toolList).map(toolOffer),
    ...readable(resource, resourceList).map(({ uri, name, title, description }) => ({
      ...{ kind: 'resource' as const, id: uri, title: title ?? name, description, schema: {} },
    })),
    ...readable(template, templateList).map(({ uriTemplate, name, title, description }) => ({
      ...{ kind: 'template' as const, id: uriTemplate, title: title ?? name, description },
      schema: schemaOf(variablesOf(uriTemplate).map((variable) => ({ name: variable }))),
    })),
    ...readable(prompt, promptList).map(({ name, title, description, arguments: args }) => ({
      ...{ kind: 'prompt' as const, id: name, title, description, schema: schemaOf(args) },
    })),
  ]
}

function toolOffer({ name, title, description, inputSchema }: z.infer<typeof tool>): Offer {
  return { kind: 'tool', id: name, title, description, schema: inputSchema }
}

async function listAll(session: McpSession, method: string, key: string, signal: AbortSignal): Promise<unknown[]> {
  const found: unknown[] = []
  let cursor: unknown
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const params = cursor === undefined ? {} : { cursor }
    const result = await session.ask({ method, params }, { signal })
    const items = result[key]
    if (Array.isArray(items)) found.push(...items)
    cursor = result['nextCursor']
    if (typeof cursor !== 'string') break
  }
  return found
}

/** One that cannot be understood does not hide the others. */
function readable<Item>(schema: z.ZodType<Item>, items: readonly unknown[]): Item[] {
  return items.flatMap((item) => {
    const parsed = schema.safeParse(item)
    return parsed.success ? [parsed.data] : []
  })
}

interface NamedArgument {
  name: string
  title?: string | undefined
  description?: string | undefined
  required?: boolean | undefined
}

/** Prompts and templates take texts. */
function schemaOf(args: readonly NamedArgument[]): JsonObject {
  return {
    type: 'object',
    properties: Object.fromEntries(
      args.map(({ name, title, description }) => [name, { type: 'string', title, description }]),
    ),
    required: args.filter(({ required }) => required).map(({ name }) => name),
  }
}

/** `{+path}`, `{?query,page}` and so on, as RFC 6570 has them. */
const EXPRESSION = /\{([+#./;?&]?)([^{}]+)\}/g

function variablesOf(uriTemplate: string): string[] {
  const names = [...uriTemplate.matchAll(EXPRESSION)].flatMap(([, , list = '']) => list.split(',').map(nameOf))
  return [...new Set(names)]
}

const nameOf = (variable: string) => variable.replace(/(?:\*|:\d+)$/, '')

/** The address that a template makes of values. */
export function expandTemplate(uriTemplate: string, values: JsonObject): string {
  return uriTemplate.replaceAll(EXPRESSION, (_, operator: string, list: string) => {
    const given = list
      .split(',')
      .map(nameOf)
      .filter((name) => (ownValue(values, name) ?? '') !== '')
    if (given.length === 0) return ''
    const isNamed = operator === '?' || operator === '&' || operator === ';'
    const isOpen = operator === '+' || operator === '#'
    const separator = operator === '?' || operator === '&' ? '&' : operator === '' || isOpen ? ',' : operator
    const parts = given.map((name) => {
      const value = isOpen ? encodeURI(String(values[name])) : encodeURIComponent(String(values[name]))
      return isNamed ? `${name}=${value}` : value
    })
    return (operator === '+' ? '' : operator) + parts.join(separator)
  })
}
