import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { runInThisContext } from 'node:vm'
import { type FakeDaemon, startFakeDaemon } from '@toolhaven/fakes/fake-daemon'
import { settle } from '@toolhaven/fakes/manual-clock'
import { expect, test } from 'vitest'
import { codeSamples } from './code-samples.ts'
import type { RouteDef } from './route.ts'
import { routes } from './routes.ts'

const table: [string, RouteDef][] = Object.entries(routes)
const overHttp = table.filter(([, { socketOnly }]) => !socketOnly)
/** What only works after something that these calls do not do; the answer is the documented refusal. */
const REFUSED: Readonly<Record<string, number>> = {
  ...{ addRegistry: 501, updateRegistry: 400, testRegistry: 400, deleteRegistry: 400 },
  ...{ adoptServer: 404, undoAdoption: 404, deleteConsoleLogin: 404 },
  ...{ getLesson: 409, applyLesson: 409, getToolLock: 409, acceptTools: 409, upgradeWorkload: 409 },
}

test.each(overHttp)('the TypeScript sample of %s is answered as documented', async (id, route) => {
  using daemon = await prepared(id)
  const { sent, answers } = await runProgram(sampleOf(id, route, 'TypeScript'), daemon)
  expect(sent).toHaveLength(1)
  expect(answers).toEqual([REFUSED[id] ?? Number(Object.keys(route.success)[0])])
})

test.each(overHttp)('the curl sample of %s makes the same request', async (id, route) => {
  using daemon = await prepared(id)
  const called = await requestOfCurl(sampleOf(id, route, 'curl'))
  expect([called]).toEqual((await runProgram(sampleOf(id, route, 'TypeScript'), daemon)).sent)
})

test('the samples of a call that answers over the socket only name the socket', () => {
  const sample = (label: string) => sampleOf('readSecret', routes.readSecret, label)
  expect(sample('curl')).toContain('--unix-socket "$XDG_RUNTIME_DIR/toolhaven/thv.sock" http://localhost/api')
  expect(sample('TypeScript')).toContain('/toolhaven/thv.sock`')
})

async function requestOfCurl(source: string) {
  const typed = await argumentsOfCurl(source)
  const after = (option: string) => typed[typed.indexOf(option) + 1]
  const body = typed.includes('-d') ? after('-d') : undefined
  return {
    url: typed.find((word) => word.startsWith('http://')),
    method: typed.includes('-X') ? after('-X') : body === undefined ? 'GET' : 'POST',
    ...(body !== undefined && { body: JSON.parse(body) }),
  }
}

function sampleOf(id: string, route: RouteDef, label: string): string {
  return codeSamples(id, route).find((sample) => sample.label === label)?.source ?? ''
}

/** A daemon with what the samples speak of, but not what this one creates. */
async function prepared(id: string): Promise<FakeDaemon> {
  const daemon = await startFakeDaemon()
  const send = (path: string, body: object) =>
    daemon.app.request(`http://localhost:8080/api/v1beta/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  if (!['createWorkload', 'importWorkload'].includes(id))
    await send('workloads', { name: 'everything', image: 'everything' })
  await send('workloads', { name: 'time', image: 'npx://everything@1.0.0' })
  if (id !== 'createGroup') await send('groups', { name: 'research' })
  await send('clients', { name: 'cursor' })
  await send('secrets', { provider_type: 'encrypted' })
  if (id !== 'createSecret') await send('secrets/default/keys', { key: 'github-token', value: 'the secret itself' })
  await settle()
  return daemon
}

/** Runs the text of a sample with a `fetch` that leads to the daemon. A stream ends after its headers. */
async function runProgram(source: string, daemon: FakeDaemon) {
  const sent: unknown[] = []
  const answers: number[] = []
  const fetchHere = async (url: string, { method = 'GET', headers, body }: RequestInit = {}) => {
    sent.push({ url, method, ...(body !== undefined && { body: JSON.parse(String(body)) }) })
    const answer = await daemon.app.request(url, {
      method,
      ...(headers && { headers }),
      ...(body !== undefined && { body }),
    })
    answers.push(answer.status)
    const isStream = answer.headers.get('content-type')?.includes('event-stream')
    if (!isStream) return answer
    await answer.body?.cancel()
    return new Response('data: {}\n\n', answer)
  }
  const program: (...globals: unknown[]) => Promise<void> = runInThisContext(
    `(async (fetch, console) => {\n${source}\n})`,
  )
  await program(fetchHere, { log: () => undefined }).catch((error: unknown) => {
    if (!(error instanceof Error) || (answers[0] ?? 0) < 400) throw error
  })
  return { sent, answers }
}

/** As a shell hands them over. */
async function argumentsOfCurl(source: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)('sh', ['-c', `curl() { printf '%s\\n' "$@"; }\n${source}`])
  return stdout.split('\n').slice(0, -1)
}
