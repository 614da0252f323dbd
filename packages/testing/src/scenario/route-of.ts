import type { RouteDef } from '@toolhaven/contract/route'
import { routes } from '@toolhaven/contract/routes'

export interface FoundRoute {
  id: string
  route: RouteDef
}

/** The route of the contract that a request reaches: the most literal one, as in the server. */
export function routeOf(method: string, path: string): FoundRoute | undefined {
  const table: [string, RouteDef][] = Object.entries(routes)
  return table
    .filter(([, route]) => route.method === method && matches(route.path, path))
    .map(([id, route]) => ({ id, route }))
    .toSorted((a, b) => parameters(a.route) - parameters(b.route))[0]
}

function parameters(route: RouteDef): number {
  return route.path.split('{').length - 1
}

function matches(pattern: string, path: string): boolean {
  const want = pattern.split('/')
  const have = path.split('/')
  return (
    want.length === have.length &&
    want.every((part, index) => (part.startsWith('{') ? have[index] !== '' : part === have[index]))
  )
}
