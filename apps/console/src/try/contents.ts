import * as z from 'zod'
import { jsonObject } from './mcp-messages.ts'

const text = z.string().optional().catch(undefined)

/** The contents of a resource, in a result or on its own. */
export const resourceContents = z.object({ uri: z.string(), mimeType: text, text, blob: text })
export type ResourceContents = z.infer<typeof resourceContents>

const known = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('image'), data: z.string(), mimeType: z.string() }),
  z.object({ type: z.literal('audio'), data: z.string(), mimeType: z.string() }),
  z.object({ type: z.literal('resource'), resource: resourceContents }),
  z.object({ type: z.literal('resource_link'), uri: z.string(), name: text, description: text }),
])
export type Content = z.infer<typeof known> | { type: 'unknown'; value: unknown }

/** One that this page does not know is shown as it came. */
export const contentOf = (value: unknown): Content => known.safeParse(value).data ?? { type: 'unknown', value }

const several = z.array(z.unknown()).catch([])

export const toolResult = z.object({ content: several, structuredContent: jsonObject.optional().catch(undefined) })
export const readResult = z.object({ contents: several })
export const promptResult = z.object({
  description: text,
  messages: z.array(z.object({ role: z.string(), content: z.unknown() })).catch([]),
})

/** Indented ten times over, a text reads no better. Deep lists cost a browser gigabytes. */
const MOST_GROWTH = 10
const INDENT = 2

/** Text that is JSON reads better in lines of its own. */
export function prettyJson(plain: string): string {
  if (!/^\s*[[{]/.test(plain) || indentedLength(plain) > plain.length * MOST_GROWTH) return plain
  try {
    return JSON.stringify(JSON.parse(plain), undefined, INDENT)
  } catch {
    return plain
  }
}

export const prettyValue = (value: unknown): string => prettyJson(JSON.stringify(value) ?? '')

/** About as long as it is with each value in a line of its own. */
function indentedLength(json: string): number {
  let [length, depth, isText] = [json.length, 0, false]
  for (let at = 0; at < json.length; at += 1) {
    const character = json[at]
    if (isText && character === '\\') at += 1
    else if (character === '"') isText = !isText
    else if (!isText && (character === '[' || character === '{')) length += INDENT * ++depth
    else if (!isText && (character === ']' || character === '}')) length += INDENT * --depth
    else if (!isText && character === ',') length += INDENT * depth
  }
  return length
}

/** Undefined: not of this kind, or not Base64. No other text reaches an address that the browser loads. */
export function dataAddress(kind: 'image' | 'audio', data: string, mimeType: string): string | undefined {
  const isOfKind = new RegExp(String.raw`^${kind}/[\w.+-]+$`).test(mimeType)
  return isOfKind && /^[\w+/-]*={0,2}$/.test(data) ? `data:${mimeType};base64,${data}` : undefined
}

/** Undefined where it is not Base64. */
export function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}
