import type { NamedInput, ServerInput } from '@toolhaven/contract/server-json'

export interface FilledIn {
  /** Contains `<NAME>` for each variable that a person must choose. */
  text: string
  missing: readonly ServerInput[]
}

/** The publisher's value, with its known variables filled in. Undefined if there is none. */
export function fillIn({ value, default: preset, variables }: ServerInput): FilledIn | undefined {
  const template = value ?? preset ?? ''
  if (template === '') return undefined
  const missing: ServerInput[] = []
  const text = template.replaceAll(/\{([^{}]+)\}/g, (whole, name: string) => {
    const variable = variables && Object.hasOwn(variables, name) ? variables[name] : undefined
    // By the format, braces around anything else stay unchanged.
    if (!variable) return whole
    const known = variable.value ?? variable.default ?? ''
    if (known === '') missing.push(variable)
    return known === '' ? `<${name}>` : known
  })
  return { text, missing }
}

export function isRequired(input: ServerInput, filledIn = fillIn(input)): boolean {
  return input.isRequired === true || (filledIn?.missing ?? []).some((variable) => variable.isRequired === true)
}

/** A variable or header in the form of our registry entries. A variable inside a longer value becomes the whole value. */
export function namedInputOf(input: NamedInput) {
  const { name, variables, choices } = input
  const filledIn = fillIn(input)
  const isComplete = filledIn?.missing.length === 0
  const said = input.description ?? input.placeholder ?? ''
  const form = filledIn && !isComplete ? `in the form ${filledIn.text}` : ''
  const isSecret = [input, ...Object.values(variables ?? {})].some((each) => each.isSecret === true)
  // A preset outside the choices is the publisher's mistake; the server accepts it.
  const presets = choices?.length && isComplete ? [filledIn.text] : []
  const words = [...new Set([...(choices ?? []), ...presets])].filter((choice) => choice !== '')
  return {
    name,
    description: [said, form].filter(Boolean).join(', '),
    required: isRequired(input, filledIn),
    ...(isComplete && { default: filledIn.text }),
    ...(isSecret && { secret: true }),
    ...(words.length > 0 && { choices: words }),
  }
}
