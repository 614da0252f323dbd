import { expect, test } from 'vitest'
import { requestsIn, routesWithoutScenario } from './check-scenarios.ts'

const table = [
  { method: 'POST', path: '/things/{name}/stop' },
  { method: 'POST', path: '/things/{name}' },
  { method: 'POST', path: '/things/stop' },
]

test('reads requests with fixed and with computed parts', () => {
  const source = "scenario({ request: 'GET /things?all=true' })\nrequest(`POST /things/${name}/stop`)"
  expect(requestsIn(source)).toEqual([
    { method: 'GET', path: '/things' },
    { method: 'POST', path: '/things/x/stop' },
  ])
})

test('a request counts for the most literal route only', () => {
  const missing = routesWithoutScenario(table, [{ method: 'POST', path: '/things/stop' }])
  expect(missing).toEqual(['POST /things/{name}/stop', 'POST /things/{name}'])
})

test('a request with another method or an empty name reaches nothing', () => {
  const requests = [
    { method: 'GET', path: '/things/stop' },
    { method: 'POST', path: '/things//stop' },
  ]
  expect(routesWithoutScenario(table, requests)).toHaveLength(3)
})
