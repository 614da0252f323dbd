import { parseOutside } from '@toolhaven/contract/parse-outside'
import { registryDocument, type RegistryDocument } from '@toolhaven/contract/registry-document'
import { describeError, invalid } from '@toolhaven/core/errors'
import { parseJson } from '@toolhaven/core/json/strict-json'
import * as z from 'zod'

const MAX_DEPTH = 64
const MAX_FAULTS = 5

/** `origin` is the name of the source in messages. */
export function parseRegistryText(text: string, origin: string): RegistryDocument {
  return checkRegistry(readRegistryJson(text, origin), origin)
}

/** Accepts the variants that public registries of this format write. Errors name the first faults. */
export function checkRegistry(document: unknown, origin: string): RegistryDocument {
  const checked = parseOutside(registryDocument, inOurSpelling(document))
  if (checked.success) return checked.data
  const { issues } = checked.error
  const faults = issues.slice(0, MAX_FAULTS).map((issue) => `${jsonPath(issue.path)}: ${inWords(issue)}`)
  const more = issues.length > MAX_FAULTS ? `; and ${issues.length - MAX_FAULTS} more` : ''
  throw invalid(`${origin} is not a registry: ${faults.join('; ')}${more}`)
}

/** Parses anything that a registry sends, whatever its format. */
export function readRegistryJson(text: string, origin: string): unknown {
  try {
    return parseJson(text, { maxDepth: MAX_DEPTH })
  } catch (error) {
    throw invalid(`${origin} is not a registry: ${describeError(error)}`, error)
  }
}

const looseObject = z.record(z.string(), z.unknown())

function inOurSpelling(document: unknown): unknown {
  const root = looseObject.safeParse(document)
  if (!root.success) return document
  const { servers, remote_servers: remoteServers, ...rest } = withoutNulls(root.data)
  return {
    ...rest,
    ...(servers !== undefined && { servers: eachEntry(servers) }),
    ...(remoteServers !== undefined && { remote_servers: eachEntry(remoteServers) }),
  }
}

function eachEntry(servers: unknown): unknown {
  const entries = looseObject.safeParse(servers)
  if (!entries.success) return servers
  return Object.fromEntries(Object.entries(entries.data).map(([key, entry]) => [key, normalEntry(key, entry)]))
}

/** The key is the name, the status may be capitalised, and a missing list may be written as null. */
function normalEntry(key: string, entry: unknown): unknown {
  const fields = looseObject.safeParse(entry)
  if (!fields.success) return entry
  const { status, tools = [], ...rest } = withoutNulls(fields.data)
  return {
    ...rest,
    name: key,
    tools,
    ...(status !== undefined && { status: typeof status === 'string' ? status.toLowerCase() : status }),
  }
}

function withoutNulls(object: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null))
}

function jsonPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`
    return /^[A-Za-z_$][\w$]*$/.test(String(part))
      ? `${text}.${String(part)}`
      : `${text}[${JSON.stringify(shorten(String(part)))}]`
  }, '$')
}

/** The schema reports what is wrong with a key one level down. */
function inWords(issue: z.core.$ZodIssue): string {
  const inner = issue.code === 'invalid_key' ? issue.issues[0]?.message : undefined
  return shorten(inner ?? issue.message)
}

const shorten = (text: string) => (text.length > 200 ? `${text.slice(0, 200)}…` : text)
