export type JsonSchema = Readonly<Record<string, unknown>>

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Of the object itself: names such as `constructor` lead nowhere else. */
export function ownValue(object: unknown, key: string): unknown {
  return isObject(object) && Object.hasOwn(object, key) ? object[key] : undefined
}

const LONGEST_CHAIN = 16

/** The schema that a reference of the same document leads to, with what stands beside the reference, and `allOf` in one. */
export function resolveSchema(schema: unknown, root: JsonSchema): JsonSchema {
  let found = isObject(schema) ? schema : {}
  for (let step = 0; step < LONGEST_CHAIN && typeof found['$ref'] === 'string'; step += 1) {
    const { $ref, ...beside } = found
    found = { ...referredBy($ref, root), ...beside }
  }
  const { allOf, ...own } = found
  if (!Array.isArray(allOf) || allOf.length === 0) return found
  return allOf.slice(0, LONGEST_CHAIN).reduce<JsonSchema>((all, part) => merged(all, shallow(part, root)), own)
}

/** Parts of `allOf` that have parts themselves are left to the server. */
function shallow(part: unknown, root: JsonSchema): JsonSchema {
  const reference = ownValue(part, '$ref')
  if (typeof reference === 'string') return referredBy(reference, root)
  return isObject(part) ? part : {}
}

function merged(a: JsonSchema, b: JsonSchema): JsonSchema {
  const properties = { ...toObject(b['properties']), ...toObject(a['properties']) }
  const required = [a['required'], b['required']].flatMap((list) => (Array.isArray(list) ? list : []))
  return { ...b, ...a, ...(Object.keys(properties).length > 0 && { properties }), required }
}

const toObject = (value: unknown) => (isObject(value) ? value : {})

function referredBy(reference: unknown, root: JsonSchema): JsonSchema {
  if (reference === '#') return root
  if (typeof reference !== 'string' || !reference.startsWith('#/')) return {}
  let place: unknown = root
  for (const part of reference.slice(2).split('/'))
    place = ownValue(place, decoded(part).replaceAll('~1', '/').replaceAll('~0', '~'))
  return isObject(place) ? place : {}
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** Its types, as a list; empty where it does not say. */
export function typesOf({ type }: JsonSchema): readonly string[] {
  return (Array.isArray(type) ? type : [type]).filter((each) => typeof each === 'string')
}
