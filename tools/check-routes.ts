import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { RouteDef } from '@toolhaven/contract/route'
import { routes } from '@toolhaven/contract/routes'
import { report } from './report.ts'

export type Route = Pick<RouteDef, 'method' | 'path' | 'extension' | 'query'>

export interface SpecifiedCall {
  call: string
  query: string[]
}

/** The calls of section 7 of docs/spec/api.md. */
export function specifiedCalls(specification: string): SpecifiedCall[] {
  const section = /^## 7\. .*?(?=^## 8\. )/ms.exec(specification)?.[0] ?? ''
  return [...section.matchAll(/^\| (GET|POST|PUT|DELETE) \| (\/\S*) \| ([^|]*) \|/gm)].map(
    ([, method, where, payload]) => ({
      call: `${method} ${where}`,
      query: payload?.startsWith('query ')
        ? [...payload.matchAll(/([\w-]+) \(\w+\)/g)].map(([, name]) => String(name))
        : [],
    }),
  )
}

/** Checks that every specified call is in the table with the same spelling, and that everything else is marked as an extension. */
export function routeProblems(specified: readonly SpecifiedCall[], table: Readonly<Record<string, Route>>): string[] {
  const byCall = new Map(Object.values(table).map((route) => [`${route.method} ${route.path}`, route]))
  const calls = new Set(specified.map(({ call }) => call))
  return [
    ...(specified.length === 0 ? ['the specification lists no call'] : []),
    ...specified.flatMap(({ call, query }) => {
      const route = byCall.get(call)
      if (route === undefined) return [`${call} is in the specification and not in the route table`]
      const lacking = query.filter((name) => !(name in (route.query?.shape ?? {})))
      return [
        ...lacking.map((name) => `${call} lacks the query parameter ${name}`),
        ...(route.extension ? [`${call} is in the specification: it is not an extension`] : []),
      ]
    }),
    ...[...byCall]
      .filter(([call, route]) => !calls.has(call) && !route.extension)
      .map(([call]) => `${call} is not in the specification: mark it as an extension`),
  ]
}

if (import.meta.main) {
  const file = path.resolve(import.meta.dirname, '../docs/spec/api.md')
  const specified = specifiedCalls(readFileSync(file, 'utf8'))
  report(routeProblems(specified, routes), `${specified.length} specified calls are in the route table`)
}
