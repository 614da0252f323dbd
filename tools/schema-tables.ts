import * as z from 'zod'

/** Enough of JSON Schema to write a page about one. */
const node = z.object({
  $ref: z.string().optional(),
  type: z.string().optional(),
  description: z.string().optional(),
  enum: z.array(z.unknown()).optional(),
  const: z.unknown().optional(),
  default: z.unknown().optional(),
  pattern: z.string().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  minLength: z.number().optional(),
  required: z.array(z.string()).optional(),
  get items() {
    return node.optional()
  },
  get properties() {
    return z.record(z.string(), node).optional()
  },
  get additionalProperties() {
    return z.union([z.boolean(), node]).optional()
  },
  get anyOf() {
    return z.array(node).optional()
  },
  get oneOf() {
    return z.array(node).optional()
  },
  get allOf() {
    return z.array(node).optional()
  },
})
type Node = z.infer<typeof node>

const schemaDocument = z.object({ $defs: z.record(z.string(), node) })

/** A section for each type of a JSON Schema, in the order in which the types are met, the root first. */
export function schemaSections(schema: unknown, root: string): string {
  const types = schemaDocument.parse(schema).$defs
  const order: string[] = []
  const visit = (name: string) => {
    if (order.includes(name) || types[name] === undefined) return
    order.push(name)
    for (const reference of JSON.stringify(types[name]).matchAll(/"#\/\$defs\/([^"]+)"/g)) visit(reference[1] ?? '')
  }
  visit(root)
  const meaningOf = (value: Node) => value.description ?? types[referenced(value) ?? '']?.description ?? ''
  return order.map((name) => section(name, types[name] ?? {}, meaningOf)).join('\n')
}

function section(name: string, type: Node, meaningOf: (value: Node) => string): string {
  const lines = [
    `### ${shortName(name)} {#${anchor(name)}}`,
    '',
    ...(type.description ? [sentence(type.description), ''] : []),
  ]
  const variants = type.oneOf ?? type.anyOf
  if (type.properties !== undefined) lines.push(...table(type, meaningOf))
  else if (variants?.some(({ properties }) => properties !== undefined)) {
    for (const variant of variants) lines.push(`One form, ${variantName(variant)}:`, '', ...table(variant, meaningOf))
  } else lines.push(`${typeOf(type)}. ${limits(type)}`, '')
  return lines.join('\n')
}

function table({ properties = {}, required = [] }: Node, meaningOf: (value: Node) => string): string[] {
  const rows = Object.entries(properties).map(([field, value]) => {
    const text = [sentence(meaningOf(value)), limits(value)].filter(Boolean).join(' ')
    return `| \`${field}\` | ${typeOf(value)} | ${required.includes(field) && value.default === undefined ? 'yes' : ''} | ${text} |`
  })
  return ['| Field | Type | Required | Meaning |', '|---|---|---|---|', ...rows, '']
}

function variantName({ properties = {} }: Node): string {
  const [field, value] = Object.entries(properties).find(([, { const: fixed }]) => fixed !== undefined) ?? []
  return field === undefined ? 'without a mark' : `with \`${field}\` \`${literal(value?.const)}\``
}

function typeOf(type: Node): string {
  const name = referenced(type)
  if (name !== undefined) {
    return `[${shortName(name)}](#${anchor(name)})`
  }
  if (type.const !== undefined) return `\`${literal(type.const)}\``
  if (type.enum !== undefined) return type.enum.map((value) => `\`${literal(value)}\``).join(', ')
  const variants = type.anyOf ?? type.oneOf
  if (variants !== undefined) return variants.map(typeOf).join(' or ')
  if (type.type === 'array') return `list of ${type.items === undefined ? 'anything' : typeOf(type.items)}`
  if (type.type === 'object') {
    return typeof type.additionalProperties === 'object' && Object.keys(type.additionalProperties).length > 0
      ? `map of ${typeOf(type.additionalProperties)}`
      : 'object'
  }
  return type.type ?? 'anything'
}

function referenced(type: Node): string | undefined {
  return (type.$ref ?? type.allOf?.[0]?.$ref)?.replace('#/$defs/', '')
}

function limits({ default: standard, pattern, minimum, maximum }: Node): string {
  const range =
    minimum !== undefined && maximum !== undefined && Math.abs(maximum) < Number.MAX_SAFE_INTEGER
      ? `From ${minimum} to ${maximum}.`
      : minimum !== undefined && minimum > Number.MIN_SAFE_INTEGER
        ? `At least ${minimum}.`
        : ''
  return [
    standard === undefined ? '' : `Default \`${JSON.stringify(standard)}\`.`,
    range,
    pattern === undefined ? '' : `Matches \`${pattern.replaceAll('|', '\\|')}\`.`,
  ]
    .filter(Boolean)
    .join(' ')
}

function literal(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Braces and angle brackets mean something in MDX. */
export function sentence(text: string): string {
  const escaped = text.replaceAll(/[{}<>]/g, (character) => `\\${character}`).replaceAll('|', '\\|')
  return /[.!?]$/.test(escaped) ? escaped : `${escaped}.`
}

function shortName(name: string): string {
  const [space = '', last] = name.split('.')
  if (last === undefined) return name
  // Several packages call their type just so.
  return last === 'Config' ? `${space.charAt(0).toUpperCase()}${space.slice(1)}Config` : last
}

function anchor(name: string): string {
  return name.toLowerCase().replaceAll('.', '-')
}
