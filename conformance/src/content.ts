/** What both fixture servers contain. The conformance suite asks for these texts and names. */
export type Content =
  | { type: 'text'; text: string }
  | { type: 'image'; data: string; mimeType: string }
  | { type: 'audio'; data: string; mimeType: string }
  | { type: 'resource'; resource: { uri: string; mimeType: string; text: string } }

export type ToolResult = { content: Content[]; isError?: boolean }

export const SERVER = { name: 'conformance-fixture', version: '1.0.0' }

/** One red pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='
/** A header and no samples. */
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA='

const image: Content = { type: 'image', data: PNG, mimeType: 'image/png' }

export function text(value: string): ToolResult {
  return { content: [{ type: 'text', text: value }] }
}

/** Tools that always answer the same. */
export const FIXED_TOOLS: Readonly<Record<string, ToolResult>> = {
  test_simple_text: text('This is a simple text response for testing.'),
  test_image_content: { content: [image] },
  test_audio_content: { content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }] },
  test_embedded_resource: {
    content: [resource('test://embedded-resource', 'This is an embedded resource content.', 'text/plain')],
  },
  test_multiple_content_types: {
    content: [
      { type: 'text', text: 'Multiple content types test:' },
      image,
      resource('test://mixed-content-resource', '{"test":"data","value":123}', 'application/json'),
    ],
  },
  test_error_handling: { ...text('This tool intentionally returns an error for testing'), isError: true },
  json_schema_2020_12_tool: text('accepted'),
}

export const NO_ARGUMENTS = { type: 'object' as const }

const address = {
  $anchor: 'addressDef',
  type: 'object',
  properties: { street: { type: 'string' }, city: { type: 'string' } },
}

/** Keywords that a server and every program in between must leave unchanged. */
const RICH_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object' as const,
  $defs: { address },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // oxlint-disable-next-line unicorn/no-thenable -- the keyword of JSON Schema
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
}

export function toolEntry(name: string, properties?: Record<string, Record<string, string>>) {
  const inputSchema =
    name === 'json_schema_2020_12_tool'
      ? RICH_SCHEMA
      : properties === undefined
        ? NO_ARGUMENTS
        : { ...NO_ARGUMENTS, properties, required: Object.keys(properties) }
  return { name, description: `The tool ${name} of the conformance suite`, inputSchema }
}

export const PROMPTS = [
  { name: 'test_simple_prompt', description: 'A prompt without arguments' },
  {
    name: 'test_prompt_with_arguments',
    description: 'A prompt with two arguments',
    arguments: [argument('arg1'), argument('arg2')],
  },
  {
    name: 'test_prompt_with_embedded_resource',
    description: 'A prompt with a resource in it',
    arguments: [argument('resourceUri')],
  },
  { name: 'test_prompt_with_image', description: 'A prompt with an image in it' },
]

/** Asks its client first. */
export const INPUT_PROMPT = { name: 'test_input_required_result_prompt', description: 'A prompt that asks first' }
export const CONTEXT_GIVEN = text('With the context that was given.').content

/** Undefined: there is no such prompt. */
export function promptMessages(name: string, given: Readonly<Record<string, string>>): Content[] | undefined {
  if (name === 'test_simple_prompt') return text('This is a simple prompt for testing.').content
  if (name === 'test_prompt_with_arguments')
    return text(`Prompt with arguments: arg1='${given['arg1']}', arg2='${given['arg2']}'`).content
  if (name === 'test_prompt_with_embedded_resource')
    return [
      resource(given['resourceUri'] ?? '', 'Embedded resource content for testing.', 'text/plain'),
      ...text('Please process the embedded resource above.').content,
    ]
  if (name === 'test_prompt_with_image') return [image, ...text('Please analyze the image above.').content]
  return undefined
}

export const RESOURCES = [
  { uri: 'test://static-text', name: 'text', description: 'A text that stays the same', mimeType: 'text/plain' },
  { uri: 'test://static-binary', name: 'pixel', description: 'An image that stays the same', mimeType: 'image/png' },
  { uri: 'test://watched-resource', name: 'watched', description: 'One to subscribe to', mimeType: 'text/plain' },
]

export const TEMPLATES = [
  {
    uriTemplate: 'test://template/{id}/data',
    name: 'template',
    description: 'Data of an id',
    mimeType: 'application/json',
  },
]

/** Undefined: there is no such resource. */
export function resourceContents(uri: string) {
  if (uri === 'test://static-text')
    return [{ uri, mimeType: 'text/plain', text: 'This is the content of the static text resource.' }]
  if (uri === 'test://static-binary') return [{ uri, mimeType: 'image/png', blob: PNG }]
  if (uri === 'test://watched-resource') return [{ uri, mimeType: 'text/plain', text: 'watched' }]
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1]
  if (id === undefined) return undefined
  const data = { id, templateTest: true, data: `Data for ID: ${id}` }
  return [{ uri, mimeType: 'application/json', text: JSON.stringify(data) }]
}

export function completions(typed: string): string[] {
  return ['paris', 'park', 'party'].filter((word) => word.startsWith(typed))
}

function argument(name: string) {
  return { name, description: `The argument ${name}`, required: true }
}

function resource(uri: string, value: string, mimeType: string): Content {
  return { type: 'resource', resource: { uri, mimeType, text: value } }
}
