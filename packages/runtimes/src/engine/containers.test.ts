import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { inspectContainer } from './containers.ts'
import { createEngineClient } from './engine-client.ts'

const STATE = { Status: 'exited', ExitCode: 3, StartedAt: '2026-01-15T09:30:00Z', FinishedAt: '2026-01-15T09:31:00Z' }
const ENDED = { Id: 'a1', Name: '/one', Config: {}, State: STATE, NetworkSettings: {} }

/** An engine that gives each answer once and then repeats the last one. */
async function engineThatSays(...answers: [status: number, body: object][]) {
  let asked = 0
  const server = createServer((_request, response) => {
    const [status = 500, body = {}] = answers[Math.min(asked++, answers.length - 1)] ?? []
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  const folder = await mkdtemp(path.join(tmpdir(), 'thv-engine-'))
  await once(server.listen(path.join(folder, 's')), 'listening')
  const client = createEngineClient('engine', { kind: 'unix', path: path.join(folder, 's') })
  const close = async () => {
    server.close()
    await rm(folder, { recursive: true })
  }
  return { client, asked: () => asked, [Symbol.asyncDispose]: close }
}

const signal = () => AbortSignal.timeout(30_000)

test('a container whose process ends while Podman looks at it is looked at again', async () => {
  const ending = { message: 'read /proc/19758/cgroup: no such process' }
  await using engine = await engineThatSays([500, ending], [500, ending], [200, ENDED])
  expect((await inspectContainer(engine.client, 'a1', signal()))?.State).toMatchObject({ ExitCode: 3 })
})

test('whatever else the engine fails at is said at once', async () => {
  await using engine = await engineThatSays([500, { message: 'the database is locked' }])
  await expect(inspectContainer(engine.client, 'a1', signal())).rejects.toThrow(/database is locked/)
  expect(engine.asked()).toBe(1)
})
