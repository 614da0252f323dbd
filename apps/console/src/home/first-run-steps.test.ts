import { expect, test } from 'vitest'
import { firstRunSteps, type Reported } from './first-run-steps.ts'

const nothing: Reported = {
  runtime: { name: 'docker', state: 'unhealthy', reason: 'docker does not answer' },
  foreign: { servers: [], adoptions: [], faults: [] },
  clients: [],
  servers: [],
  wasCalled: false,
}
const open = (reported: Partial<Reported>) =>
  firstRunSteps({ ...nothing, ...reported })
    .filter(({ isDone }) => !isDone)
    .map(({ title }) => title)

test('a step is done once the daemon reports so, and not before', () => {
  expect(open({})).toEqual(['A runtime is found', 'A server runs', 'A tool was called', 'A client is connected'])
  expect(open({ runtime: { name: 'podman', state: 'healthy' } })).not.toContain('A runtime is found')
  const server = { name: 'web', status: 'error' as const, url: '' }
  expect(open({ servers: [server] })).toContain('A server runs')
  expect(open({ servers: [{ ...server, status: 'running' }] })).not.toContain('A server runs')
  expect(open({ wasCalled: true })).not.toContain('A tool was called')
  expect(open({ clients: [{ name: 'Cursor', groups: ['default'] }] })).not.toContain('A client is connected')
})

test('a server that cannot be adopted, or was, is not a step', () => {
  const found = { name: 'notes', found_in: [], command: 'npx notes', env_vars: [], headers: [], notes: [] }
  const becomes = { image: 'npx://notes', transport: 'stdio' as const, cmd_arguments: [], volumes: [] }
  const of = (server: object) => open({ foreign: { ...nothing.foreign, servers: [{ ...found, ...server }] } })
  const step = 'The servers of your clients run in isolation'
  expect(of({ becomes })).toContain(step)
  expect(of({ obstacle: 'it is a shell script' })).not.toContain(step)
  expect(of({ becomes, shares: 'notes' })).not.toContain(step)
})
