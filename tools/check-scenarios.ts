import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { routes } from '@toolhaven/contract/routes'
import { report } from './report.ts'

interface Call {
  method: string
  path: string
}

/** Requests written as `METHOD /path` in a scenario; `${…}` stands for one segment. */
export function requestsIn(source: string): Call[] {
  const found = source.matchAll(/\b(GET|POST|PUT|DELETE) (\/(?:\$\{[^}]*\}|[^\s'"`?#$])*)/g)
  return [...found].map(([, method = '', where = '']) => ({ method, path: where.replaceAll(/\$\{[^}]*\}/g, 'x') }))
}

/** The routes that no request reaches. A request counts for its most literal route only, as in the server. */
export function routesWithoutScenario(table: readonly Call[], requests: readonly Call[]): string[] {
  const ordered = table.toSorted((a, b) => parameters(a) - parameters(b))
  const reached = new Set(requests.map((request) => ordered.find((route) => matches(route, request))))
  return table.filter((route) => !reached.has(route)).map((route) => `${route.method} ${route.path}`)
}

function parameters(route: Call): number {
  return route.path.split('{').length - 1
}

function matches(route: Call, request: Call): boolean {
  const want = route.path.split('/')
  const have = request.path.split('/')
  return (
    route.method === request.method &&
    want.length === have.length &&
    want.every((part, index) => (part.startsWith('{') ? have[index] !== '' : part === have[index]))
  )
}

if (import.meta.main) {
  const root = path.resolve(import.meta.dirname, '..')
  const tests = globSync(['packages/{api,testing}/src/**/*.ts', 'apps/cli/src/**/*.test.ts', 'e2e/**/*.ts'], {
    cwd: root,
  }).filter((file) => !file.includes('node_modules') && (file.includes('.test.') || /scenario/.test(file)))
  const requests = tests.flatMap((file) => requestsIn(readFileSync(path.join(root, file), 'utf8')))
  const lacking = routesWithoutScenario(Object.values(routes), requests)
  report(
    lacking.map((call) => `${call} has no scenario`),
    `${requests.length} requests in scenarios reach every route`,
  )
}
