import { type ESTree, parseSync, type Plugin, Visitor } from 'vite'

/**
 * Takes out of the contract what only documents are made from: descriptions of schemas, summaries, errors and examples of
 * routes. That is more than half of what it weighs, and the console makes no documents.
 */
export function stripDescriptions(): Plugin {
  return {
    name: 'strip-descriptions',
    apply: 'build',
    enforce: 'pre',
    transform: {
      filter: { id: /\/packages\/contract\/src\/.*\.ts$/ },
      handler: (code, id) => withoutDescriptions(code, id),
    },
  }
}

interface Cut {
  from: number
  to: number
}

const IN_ROUTES = ['tag', 'summary', 'description', 'bodyExample', 'errors', 'plan']

function withoutDescriptions(code: string, file: string): string {
  const cuts: Cut[] = []
  const visitor = new Visitor({
    CallExpression: (call) => cuts.push(...cutsOfCall(call)),
    ObjectExpression: (object) => cuts.push(...cutsOfRoute(object, code)),
  })
  visitor.visit(parseSync(file, code).program)
  const whole = cuts.filter((cut) => !cuts.some((other) => isInside(cut, other)))
  // From the end on, so that what is still to be cut stays where it is.
  let rest = code
  for (const { from, to } of whole.toSorted((one, other) => other.from - one.from)) {
    rest = rest.slice(0, from) + rest.slice(to)
  }
  return rest
}

const isInside = (cut: Cut, other: Cut) => other !== cut && other.from <= cut.from && cut.to <= other.to

/** `.meta(…)` of a schema, and the example of `ok(schema, description, example)`. */
function cutsOfCall({ callee, arguments: given, end }: ESTree.CallExpression): Cut[] {
  if (callee.type === 'MemberExpression')
    return callee.property.type === 'Identifier' && callee.property.name === 'meta'
      ? [{ from: callee.object.end, to: end }]
      : []
  const [, description, example] = given
  const isAnswer = callee.type === 'Identifier' && ['ok', 'created'].includes(callee.name)
  return isAnswer && description && example ? [{ from: description.end, to: example.end }] : []
}

/** An object with a method and a path is a route. */
function cutsOfRoute({ properties }: ESTree.ObjectExpression, code: string): Cut[] {
  const named = properties.flatMap((property) =>
    property.type === 'Property' && property.key.type === 'Identifier' ? [{ property, name: property.key.name }] : [],
  )
  const has = (wanted: string) => named.some(({ name }) => name === wanted)
  if (!has('method') || !has('path')) return []
  return named
    .filter(({ name }) => IN_ROUTES.includes(name))
    .map(({ property: { start, end } }) => ({ from: start, to: code[end] === ',' ? end + 1 : end }))
}
