import { describe, expect } from 'vitest'
import { type FakeDaemon } from '@toolhaven/fakes/fake-daemon'
import { scenario, send } from '@toolhaven/testing/scenario'

const CREATE = 'POST /api/v1beta/workloads'

const details = async (fake: FakeDaemon, name: string) => {
  const { text } = await send(fake, `GET /api/v1beta/workloads/${name}`)
  const value: unknown = JSON.parse(text)
  return value
}

describe('creating a workload', () => {
  scenario('of a registry server takes what the request leaves out from the entry', {
    request: CREATE,
    body: { image: 'everything' },
    answers: { status: 201, matches: { name: 'everything' } },
    afterwards: async (fake) => {
      expect(await details(fake, 'everything')).toMatchObject({
        ...{ package: 'npx://everything@1.0.0', cmd_arguments: ['stdio'], env_vars: { LEVEL: 'info' } },
        permission_profile: { network: { outbound: { allow_host: ['example.com'], allow_port: [443] } } },
        status_context: '',
      })
      const rules = { allowHost: ['example.com'], allowPort: [443], allowAll: false }
      expect(fake.egress.rules.get('everything')).toEqual(rules)
    },
  })

  scenario('of a registry server keeps what the request says', {
    request: CREATE,
    body: {
      image: 'everything',
      cmd_arguments: ['loud'],
      env_vars: { LEVEL: 'debug' },
      tools: ['add'],
      permission_profile: { name: 'none' },
    },
    answers: { status: 201 },
    afterwards: async (fake) => {
      expect(await details(fake, 'everything')).toMatchObject({
        ...{ cmd_arguments: ['loud'], env_vars: { LEVEL: 'debug' }, tools: ['add'] },
        permission_profile: { name: 'none', network: { outbound: {} } },
        status_context: '',
      })
      expect(fake.runtime.instances.get('thv-everything')?.spec.network).toBe('none')
    },
  })

  scenario('of a remote registry server runs no instance and shows our own url', {
    request: CREATE,
    body: { image: 'com.example/docs' },
    answers: { status: 201, matches: { name: 'docs' } },
    afterwards: async (fake, { text }) => {
      const { port } = JSON.parse(text)
      expect(fake.runtime.instances.size).toBe(0)
      expect(await details(fake, 'docs')).toMatchObject({
        status: 'running',
        transport_type: 'streamable-http',
        url: `http://127.0.0.1:${port}/mcp`,
      })
    },
  })

  scenario('of a remote server by its url', {
    request: CREATE,
    body: { url: 'https://mcp.search.example.com/mcp', transport: 'sse' },
    answers: { status: 201, matches: { name: 'search' } },
    afterwards: async (fake, { text }) => {
      const { port } = JSON.parse(text)
      expect(await details(fake, 'search')).toMatchObject({
        transport_type: 'sse',
        url: `http://127.0.0.1:${port}/sse`,
      })
    },
  })
})
