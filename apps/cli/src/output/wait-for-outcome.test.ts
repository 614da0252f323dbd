import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type FakeDaemon, startFakeDaemon } from '@toolhaven/fakes/fake-daemon'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type DaemonClient, createDaemonClient } from '../connect/daemon-client.ts'
import { listenOnSocket } from '../daemon/listen.ts'
import { WorkloadFailed, waitForOutcome, withNextStep } from './wait-for-outcome.ts'

let cleanUp: AsyncDisposableStack
let fake: FakeDaemon
let client: DaemonClient
const shown: string[] = []
const waiting = { out: { transient: (text: string) => void shown.push(text) }, signal: AbortSignal.timeout(60_000) }
const { signal } = waiting

beforeEach(async () => {
  cleanUp = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'thv-w-'))
  cleanUp.defer(() => rm(folder, { recursive: true, force: true }))
  fake = await startFakeDaemon()
  const { close } = await listenOnSocket(fake.socketApp, join(folder, 's'))
  cleanUp.defer(close)
  cleanUp.defer(() => fake[Symbol.dispose]())
  client = createDaemonClient({ socketPath: join(folder, 's') })
  // It is being fetched for as long as the test lasts.
  fake.runtime.whilePreparing = (until) => new Promise((resolve) => until.addEventListener('abort', () => resolve()))
  await client.call('createWorkload', { body: { name: 'web', image: 'npx://web@1.0.0' }, query: {} }, signal)
})
afterEach(() => cleanUp.disposeAsync())

const endsWith = (verb: 'run' | 'restart' | 'stop', message: string) =>
  expect(waitForOutcome(waiting, client, ['web'], verb)).rejects.toMatchObject({ code: 'conflict', message })

const web = { params: { name: 'web' } }

test.each(['run', 'restart'] as const)('%s ends when somebody stops the workload', async (verb) => {
  const waited = endsWith(verb, 'web: another command stopped it')
  await expect.poll(() => shown).toContainEqual(expect.stringContaining('web: '))
  await client.call('stopWorkload', web, signal)
  await waited
})

test.each(['run', 'restart', 'stop'] as const)('%s ends when somebody removes the workload', async (verb) => {
  if (verb === 'stop') fake.runtime.whilePreparing = () => new Promise(() => {})
  if (verb === 'stop') await client.call('stopWorkload', web, signal)
  const waited = endsWith(verb, 'web: another command removed it')
  await client.call('deleteWorkload', web, signal)
  await waited
})

test('a workload that is gone before anybody looks is not waited for', async () => {
  await client.call('deleteWorkload', web, signal)
  await expect.poll(() => fake.workloadStore.records.size).toBe(0)
  await expect(waitForOutcome(waiting, client, ['web'], 'run')).rejects.toThrow('web: another command removed it')
  await waitForOutcome(waiting, client, ['web'], 'delete')
})

test('the next step names the workloads that failed, and promises nothing', () => {
  const one = withNextStep(new WorkloadFailed('web: it is gone', ['web']))
  expect(one.message).toBe('web: it is gone\n"thv logs web" shows its output.')
  const two = withNextStep(new WorkloadFailed('a: x\nb: y', ['a', 'b']))
  expect(two.message).toBe('a: x\nb: y\n"thv logs a", "thv logs b" show their output.')
})

test('the next step after a missing secret stores it, and the output of other workloads is offered too', () => {
  const failed = new WorkloadFailed('a: secret token not found\nb: y', ['a', 'b'])
  expect(withNextStep(failed).message).toBe(
    'a: secret token not found\nb: y\n"thv secret set token" stores it, "thv restart a" tries again.\n"thv logs b" shows its output.',
  )
})
