import { expect, test } from 'vitest'
import type { RuntimeReport } from '@toolhaven/contract/runtime-report'
import { createDaemonClient } from '../../connect/daemon-client.ts'
import { createOutput } from '../../output/output.ts'
import { createServer } from 'node:http'
import { once } from 'node:events'
import { runtimeCheck } from './check.ts'

/** The command against a daemon that gives this report, or never answers. */
async function check(report: RuntimeReport | undefined, timeout: number, env: Record<string, string> = {}) {
  const server = createServer((_, response) => {
    if (report) response.setHeader('content-type', 'application/json').end(JSON.stringify(report))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0
  let stdout = ''
  let stderr = ''
  const sink = { write: (text: string) => void (stdout += text) }
  const out = createOutput({ stdout: sink, stderr: { write: (text: string) => void (stderr += text) }, env: {} })
  const daemon = async () => createDaemonClient({ host: '127.0.0.1', port })
  const context = { daemon, out, env, cwd: '/', debug: false, signal: new AbortController().signal }
  const failure = await runtimeCheck
    .run(context, { args: [], flags: { timeout, format: 'text' } })
    .catch((error: unknown) => error)
  server.closeAllConnections()
  server.close()
  return { failure, stdout, stderr }
}

test('a runtime that is not healthy is shown and is an error of its own kind, with its reason', async () => {
  const tried = [{ candidate: 'unix:///run/docker.sock', outcome: 'does not answer\u001B[2J' }]
  const { failure, stdout } = await check(
    { name: 'docker', state: 'unhealthy', reason: 'the engine is away', notes: [], tried },
    30,
  )
  expect(failure).toMatchObject({ code: 'unavailable', message: 'workloads cannot run: the engine is away' })
  expect(stdout).toContain('State    unhealthy\n')
  expect(stdout).toMatch(/unix:\/\/\/run\/docker\.sock {2}does not answer/)
  expect(stdout).not.toContain('\u001B')
})

test('a runtime that never answers is given up', async () => {
  const { failure, stdout } = await check(undefined, 0.05)
  expect(failure).toMatchObject({ code: 'unavailable', message: expect.stringContaining('did not answer within') })
  expect(stdout).toBe('')
})

test('a runtime that the environment asks for and the daemon does not use is told', async () => {
  const report: RuntimeReport = { name: 'process', state: 'healthy', notes: [], tried: [] }
  const told = async (env: Record<string, string>) => (await check(report, 30, env)).stderr
  expect(await told({ THV_RUNTIME: 'podman' })).toMatch(/uses process\..*"thv serve --stop"/)
  expect(await told({ THV_RUNTIME: 'lxc' })).toMatch(
    /"lxc", which is not a runtime\. Set it to docker, podman, process/,
  )
  for (const env of [{}, { THV_RUNTIME: '' }, { THV_RUNTIME: 'process' }, { THV_RUNTIME: 'podman', THV_HOST: 'x' }])
    expect(await told(env)).toBe('')
})
