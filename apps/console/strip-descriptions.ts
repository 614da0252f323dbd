import { type ESTree, parseSync, type Plugin, Visitor } from 'vite'

/**
 * Takes `.meta({ description … })` out of the contract's schemas: documents are made from it, and the console makes none.
 * It is a third of what the contract weighs.
 */
export function stripDescriptions(): Plugin {
  return {
    name: 'strip-descriptions',
    apply: 'build',
    enforce: 'pre',
    transform: {
      filter: { id: /\/packages\/contract\/src\/.*\.ts$/ },
      handler: (code, id) => withoutMeta(code, id),
    },
  }
}

function withoutMeta(code: string, file: string): string {
  const cuts: { from: number; to: number }[] = []
  const visitor = new Visitor({
    CallExpression(call: ESTree.CallExpression) {
      const { callee } = call
      if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier') return
      if (callee.property.name === 'meta') cuts.push({ from: callee.object.end, to: call.end })
    },
  })
  visitor.visit(parseSync(file, code).program)
  const whole = cuts.filter(({ from, to }) => !cuts.some((other) => other.from < from && to <= other.to))
  // From the end on, so that what is still to be cut stays where it is.
  let rest = code
  for (const { from, to } of whole.toSorted((one, other) => other.from - one.from)) {
    rest = rest.slice(0, from) + rest.slice(to)
  }
  return rest
}
