import { expect, test } from 'vitest'
import { type FakeDaemon, startFakeDaemon } from '@toolhaven/fakes/fake-daemon'
import { settle } from '@toolhaven/fakes/manual-clock'
import { checkAnswer } from './scenario/check-answer.ts'
import { type Answer, type Answered, checkExpected } from './scenario/check-expected.ts'
import { routeOf } from './scenario/route-of.ts'
import { watchStatuses } from './scenario/watch-statuses.ts'

export interface Scenario {
  /** Prepares the daemon for the request. Background work is awaited afterwards. */
  given?: (fake: FakeDaemon) => unknown
  /** `METHOD /path?query`. */
  request: string
  /** Sent as JSON. A string is sent unchanged. */
  body?: unknown
  headers?: Readonly<Record<string, string>>
  overSocket?: boolean
  answers: Answer
  /** What is true afterwards, once background work has run. */
  afterwards?: (fake: FakeDaemon, answer: Answered) => unknown
}

/** One request to the real API over fakes, checked against the contract and the scenario's expectations. */
export function scenario(
  name: string,
  { given, request, body, headers, overSocket, answers, afterwards }: Scenario,
): void {
  test(name, async () => {
    using fake = await startFakeDaemon()
    const statuses = watchStatuses(fake)
    await given?.(fake)
    await settle()
    const answered = await send(fake, request, { body, headers, overSocket })
    checkExpected(answered, answers)
    await settle()
    await afterwards?.(fake, answered)
    await settle()
    expect(statuses.violations).toEqual([])
  })
}

export interface SendOptions {
  body?: unknown
  headers?: Readonly<Record<string, string>> | undefined
  overSocket?: boolean | undefined
}

/** Sends a request as a server would pass it on, and checks the answer against the contract. */
export async function send(fake: FakeDaemon, request: string, options: SendOptions = {}): Promise<Answered> {
  const [method = '', target = ''] = request.split(' ')
  const response = await ask(fake, request, options)
  const path = target.split('?')[0] ?? ''
  const text = await checkAnswer(response, routeOf(method, path))
  return { status: response.status, text, headers: response.headers }
}

/** The same without any check, for streams and deliberate nonsense. */
export async function ask(
  fake: FakeDaemon,
  request: string,
  { body, headers, overSocket }: SendOptions = {},
): Promise<Response> {
  const [method = '', target = ''] = request.split(' ')
  const app = overSocket ? fake.socketApp : fake.app
  const text = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body)
  return app.request(target, {
    method,
    headers: {
      ...(text !== undefined && {
        'content-type': 'application/json',
        'content-length': String(new TextEncoder().encode(text).byteLength),
      }),
      ...headers,
    },
    ...(text !== undefined && { body: text }),
  })
}

/** A step of `given`: it must succeed. */
export async function done(fake: FakeDaemon, request: string, body?: unknown): Promise<Answered> {
  const answered = await send(fake, request, { body })
  expect(answered.status, answered.text).toBeLessThan(300)
  await settle()
  return answered
}
