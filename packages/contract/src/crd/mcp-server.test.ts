import { expect, test } from 'vitest'
import { CRD_GROUP, CRD_KIND, CRD_VERSION, mcpServer } from './mcp-server.ts'

const resource = (spec: Record<string, unknown>) => ({
  apiVersion: `${CRD_GROUP}/${CRD_VERSION}`,
  kind: CRD_KIND,
  metadata: { name: 'fetch' },
  spec,
})

test('a resource with an image alone is complete', () => {
  const { spec } = mcpServer.parse(resource({ image: 'ghcr.io/example/fetch:1' }))
  expect(spec).toEqual({
    image: 'ghcr.io/example/fetch:1',
    transport: 'stdio',
    proxyMode: 'streamable-http',
    port: 8080,
  })
})

test.each([
  ['a field that is not known', { image: 'a', replicas: 3 }],
  ['a port out of range', { image: 'a', port: 70_000 }],
  ['a profile of no known type', { image: 'a', permissionProfile: { type: 'file', name: 'x' } }],
  ['a name that is not a Kubernetes name', { image: 'a', serviceAccount: 'Not_Allowed' }],
])('%s is refused', (_case, spec) => {
  expect(mcpServer.safeParse(resource(spec)).success).toBe(false)
})
