import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { type Route, routeProblems, specifiedCalls } from './check-routes.ts'

const specified = [
  { call: 'GET /things', query: ['all'] },
  { call: 'DELETE /things/{name}', query: [] },
]
const list: Route = { method: 'GET', path: '/things', query: z.object({ all: z.boolean() }) }
const remove: Route = { method: 'DELETE', path: '/things/{name}' }

test('the specification lists forty calls, some with query parameters', () => {
  const calls = specifiedCalls(readFileSync(path.resolve(import.meta.dirname, '../docs/spec/api.md'), 'utf8'))
  expect(calls).toHaveLength(40)
  expect(calls).toContainEqual({ call: 'GET /api/v1beta/workloads', query: ['all', 'group'] })
  expect(calls).toContainEqual({ call: 'DELETE /api/v1beta/groups/{name}', query: ['with-workloads'] })
})

test('accepts a table with every specified call and marked extensions', () => {
  expect(routeProblems(specified, { list, remove, ours: { method: 'GET', path: '/ours', extension: true } })).toEqual(
    [],
  )
})

test.each<[string, Record<string, Route>]>([
  ['DELETE /things/{name} is in the specification and not in the route table', { list }],
  ['DELETE /things/{id} is not in the specification', { list, remove, other: { ...remove, path: '/things/{id}' } }],
  ['GET /things lacks the query parameter all', { list: { method: 'GET', path: '/things' }, remove }],
  [
    'DELETE /things/{name} is in the specification: it is not an extension',
    { list, remove: { ...remove, extension: true } },
  ],
])('says: %s', (problem, table) => {
  expect(routeProblems(specified, table)).toEqual([expect.stringContaining(problem)])
})

test('does not hold when no call could be read', () => {
  expect(routeProblems(specifiedCalls('# nothing here'), {})).toEqual(['the specification lists no call'])
})
