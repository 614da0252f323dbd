import type { Tool } from '@modelcontextprotocol/client'
import { invalid } from '@toolhaven/core/errors'
import { closest } from '@toolhaven/core/closest'

type Values = Record<string, unknown>

/** The tool's arguments: the object from `--json`, with each `key=value` overriding that key. */
export function callArguments(tool: Tool, pairs: readonly string[], json: string | undefined): Values {
  const values = json === undefined ? {} : parseObject(json)
  const given = new Map<string, string[]>()
  for (const pair of pairs) {
    const [key, text] = splitPair(tool, pair)
    given.set(key, [...(given.get(key) ?? []), text])
  }
  for (const [key, texts] of given) {
    refuseUnknown(tool, key)
    values[key] = valueOf(key, texts, propertiesOf(tool)[key])
  }
  const missing = (tool.inputSchema.required ?? []).filter((key) => !Object.hasOwn(values, key))
  if (missing.length > 0)
    throw invalid(
      `${tool.name} needs ${missing.join(' and ')}; give ${missing.map((key) => `${key}=VALUE`).join(' ')}\n${usage(tool)}`,
    )
  return values
}

const JSON_FORM = `Write names and texts in double quotes: --json '{"city": "Bern"}'`

function parseObject(json: string): Values {
  refuseCurlyQuote(json)
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch (cause) {
    throw invalid(`--json is not JSON: ${json.slice(0, 60)}\n${JSON_FORM}`, cause)
  }
  if (!isObject(value)) throw invalid(`--json must be an object\n${JSON_FORM}`)
  return value
}

function splitPair(tool: Tool, pair: string): [key: string, text: string] {
  refuseCurlyQuote(pair)
  const at = pair.indexOf('=')
  if (Object.hasOwn(propertiesOf(tool), pair)) throw invalid(`${pair} has no value; write ${pair}=VALUE`)
  if (at < 1) {
    const [first, ...others] = tool.inputSchema.required ?? Object.keys(propertiesOf(tool))
    const like = first !== undefined && others.length === 0 ? `${first}=${pair}` : 'key=value, such as city=Bern'
    throw invalid(`${pair} has no name; write it as ${like}`)
  }
  return [pair.slice(0, at), pair.slice(at + 1)]
}

/** Pages turn the quotes around an argument into ones that mean nothing to a shell. */
function refuseCurlyQuote(text: string): void {
  const [quote] = /^[\u2018-\u201F]/.exec(text) ?? []
  if (quote === undefined) return
  throw invalid(
    `${text} begins with ${quote}, a curly quote, as in a text that was copied\nType straight quotes: ' or "`,
  )
}

function refuseUnknown(tool: Tool, key: string): void {
  const known = Object.keys(propertiesOf(tool))
  const takesOthers = known.length === 0 || Boolean(tool.inputSchema['additionalProperties'])
  if (known.includes(key) || takesOthers) return
  const meant = closest(key, known)
  throw invalid(`${tool.name} has no argument ${key}${meant ? `; did you mean ${meant}?` : ''}\n${usage(tool)}`)
}

/** Only a list may be passed item by item. */
function valueOf(key: string, texts: readonly string[], schema: unknown): unknown {
  const types = typesOf(schema)
  const last = texts.at(-1) ?? ''
  if (types.includes('array') && !types.includes('string')) {
    if (texts.length === 1 && last.trimStart().startsWith('[')) return parseAs(key, last, ['array'])
    const items = isObject(schema) ? schema['items'] : undefined
    return texts.map((text) => parseAs(key, text, typesOf(items)))
  }
  if (texts.length > 1) throw invalid(`${key} was given ${texts.length} times but takes only one value`)
  return parseAs(key, last, types)
}

const NAMES: Readonly<Record<string, string>> = {
  array: 'a list in JSON, such as \'["a", "b"]\'',
  object: 'an object in JSON, such as \'{"a": 1}\'',
  boolean: 'true or false',
  number: 'a number',
  integer: 'a whole number',
  null: 'null',
}

/** Text needs no quotes, so it is what is left when no other type fits. */
function parseAs(key: string, text: string, types: readonly string[]): unknown {
  const others = types.filter((type) => type !== 'string')
  const value = parsed(text)
  const isAny = types.length === 0
  if (value !== undefined && (isAny || others.some((type) => isOfType(value, type)))) return value
  if (isAny || types.includes('string')) return text
  throw invalid(`${key}=${text}: ${key} must be ${others.map((type) => NAMES[type] ?? type).join(' or ')}`)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case 'array':
      return Array.isArray(value)
    case 'object':
      return isObject(value)
    case 'integer':
      return Number.isInteger(value)
    case 'null':
      return value === null
    default:
      return typeof value === type
  }
}

/** Empty if the schema does not say, or says it in a form that we do not interpret. */
function typesOf(schema: unknown): string[] {
  if (!isObject(schema)) return []
  const { type, anyOf, oneOf } = schema
  if (type !== undefined) return [type].flat().map(String)
  const choices = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : []
  return [...new Set(choices.flatMap(typesOf))]
}

/** What the tool takes, for who left something out. */
function usage(tool: Tool): string {
  const { required = [] } = tool.inputSchema
  const lines = Object.entries(propertiesOf(tool)).map(([key, schema]) => {
    const type = typesOf(schema).join(' or ') || 'any'
    const says = isObject(schema) && typeof schema['description'] === 'string' ? `  ${schema['description']}` : ''
    return `  ${key} (${type}${required.includes(key) ? '' : ', may be left out'})${says.split('\n')[0]}`
  })
  return lines.length === 0 ? 'It takes no arguments.' : `It takes:\n${lines.join('\n')}`
}

export function propertiesOf({ inputSchema }: Tool): Readonly<Record<string, unknown>> {
  return inputSchema.properties ?? {}
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
