import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { RouteDef } from './route.ts'
import { routes } from './routes.ts'

const specification = readFileSync(new URL('../../../docs/spec/api.md', import.meta.url), 'utf8')
const section = specification.slice(
  specification.indexOf('## 7. The calls'),
  specification.indexOf('## 8. Error catalogue'),
)
const specified = [...section.matchAll(/^\| (GET|POST|PUT|DELETE) \| (\S+) \| ([^|]*) \| ([^|]*) \|$/gm)].map(
  ([, method = '', path = '', payload = '', answer = '']) => ({ method, path, payload, answer }),
)
/** Ours, on calls of the specification. Callers that do not know them leave them out. */
const OWN_QUERIES: Readonly<Record<string, readonly string[]>> = {
  'POST /api/v1beta/workloads': ['known_only', 'dry_run'],
  'POST /api/v1beta/workloads/{name}/edit': ['known_only', 'dry_run', 'revision'],
}
const table: [string, RouteDef][] = Object.entries(routes)
const find = (method: string, path: string) =>
  table.find(([, route]) => route.method === method && route.path === path)?.[1]

test('the specification has 40 calls', () => {
  expect(specified).toHaveLength(40)
})

describe('the route table', () => {
  for (const { method, path, payload, answer } of specified) {
    test(`has ${method} ${path} as specified`, () => {
      const route = find(method, path)
      expect(route).toBeDefined()
      expect(route).not.toHaveProperty('extension')
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      expect(Object.keys(route?.params?.shape ?? {})).toEqual(inPath)
      const inQuery = payload.startsWith('query ')
        ? [...payload.matchAll(/([\w-]+) \((?:boolean|string)\)/g)].map(([, name]) => name)
        : []
      expect(Object.keys(route?.query?.shape ?? {})).toEqual([...inQuery, ...(OWN_QUERIES[`${method} ${path}`] ?? [])])
      const needsBody = /request|bulk/.test(payload)
      expect(route?.body !== undefined).toBe(needsBody)
      const code = /^(202|204)$/.exec(answer.trim())?.[1]
      const promised = Object.keys(route?.success ?? {})
      expect(promised).toEqual(code ? [code] : promised)
      expect(route?.errors?.[501] !== undefined).toBe(answer.includes('501'))
    })
  }

  test('has nothing else but what is marked as ours, under the same prefix', () => {
    const calls = new Set(specified.map(({ method, path }) => `${method} ${path}`))
    const others = table.filter(([, { method, path }]) => !calls.has(`${method} ${path}`))
    expect(others.map(([id]) => id).toSorted()).toEqual(
      [
        'acceptTools',
        'refreshRegistry',
        'testRegistry',
        'adoptServer',
        'applyLesson',
        'getLesson',
        'getToolLock',
        'discoverServers',
        'buildPackage',
        'followLogs',
        'followSeveralLogs',
        'getBuildRecipe',
        'inspectWorkload',
        'getIsolation',
        'getRuntime',
        'getSettings',
        'getStats',
        'getWorkloadRequest',
        'importWorkload',
        'closeConsoleSession',
        'createConsoleLink',
        'deleteConsoleLogin',
        'deleteConsoleLogins',
        'endServerSession',
        'getConsoleSession',
        'listConsoleLogins',
        'listenToServer',
        'openConsoleSession',
        'sendToServer',
        'listExits',
        'listFolders',
        'listSecretUses',
        'listStats',
        'previewClient',
        'pruneLogs',
        'readLogs',
        'runDoctor',
        'readSecret',
        'streamEvents',
        'undoAdoption',
        'updateSettings',
        ...['listUpgrades', 'getUpgrade', 'upgradeWorkload'],
      ].toSorted(),
    )
    for (const [, route] of others) {
      expect(route.extension).toBe(true)
      expect(route.path).toMatch(/^\/api\/v1beta\//)
    }
  })

  test('gives each call to one route', () => {
    const calls = table.map(([, { method, path }]) => `${method} ${path}`)
    expect(new Set(calls).size).toBe(calls.length)
  })

  test('documents errors of the catalogue only', () => {
    for (const [id, route] of table) {
      for (const status of Object.keys(route.errors ?? {})) {
        const known = [
          400,
          404,
          405,
          409,
          500,
          501,
          ...(id === 'getHealth' ? [503] : []),
          ...(id === 'getBuildRecipe' ? [502] : []),
        ]
        expect(known, `${id} ${status}`).toContain(Number(status))
      }
    }
  })
})
