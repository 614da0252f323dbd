import { expect, test } from 'vitest'
import type { RuntimeReport } from '@toolhaven/contract/system'
import { createDaemonClient } from '../../connect/daemon-client.ts'
import { createOutput } from '../../output/output.ts'
import { createServer } from 'node:http'
import { once } from 'node:events'
import { runtimeCheck } from './check.ts'

/** The command against a daemon that gives this report, or never answers. */
async function check(report: RuntimeReport | undefined, timeout: number) {
  const server = createServer((_, response) => {
    if (report) response.setHeader('content-type', 'application/json').end(JSON.stringify(report))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0
  let stdout = ''
  const sink = { write: (text: string) => void (stdout += text) }
  const out = createOutput({ stdout: sink, stderr: { write: () => {} }, env: {} })
  const daemon = async () => createDaemonClient({ host: '127.0.0.1', port })
  const context = { daemon, out, env: {}, cwd: '/', debug: false, signal: new AbortController().signal }
  const failure = await runtimeCheck
    .run(context, { args: [], flags: { timeout, format: 'text' } })
    .catch((error: unknown) => error)
  server.closeAllConnections()
  server.close()
  return { failure, stdout }
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
