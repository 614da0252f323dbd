import { successOf } from '@toolhaven/contract/openapi'
import { expect } from 'vitest'
import type { FoundRoute } from './route-of.ts'

/** Errors that every route can answer. */
const COMMON_ERRORS = [400, 403, 500]

/** Checks any answer against the contract: a promised status, the body of its own schema, or one plain sentence. */
export async function checkAnswer(response: Response, found: FoundRoute | undefined): Promise<string> {
  const body = await response.clone().text()
  if (response.status >= 400) checkError(response, body, found)
  else checkSuccess(response, body, found)
  return body
}

function checkSuccess(response: Response, body: string, found: FoundRoute | undefined): void {
  const answer = found && successOf(found.route)[response.status]
  expect(answer, `${found?.id} does not promise ${response.status}`).toBeDefined()
  if (!answer?.schema) {
    expect(body).toBe('')
    expect(response.headers.get('content-length')).toBe(response.status === 204 ? null : '0')
    return
  }
  expect(response.headers.get('content-type')).toBe(
    answer.contentType ? `${answer.contentType}; charset=utf-8` : 'application/json',
  )
  const value: unknown = answer.contentType ? body : JSON.parse(body)
  expect(answer.schema.safeParse(value).error).toBeUndefined()
  if (!answer.contentType && found?.id !== 'getOpenApi') checkTimes(value)
}

/** Times are RFC 3339 in UTC with seconds. Lists are never null. */
function checkTimes(value: unknown): void {
  if (value === null || typeof value !== 'object') return
  for (const [key, inner] of Object.entries(value)) {
    if (key.endsWith('_at') || key === 'last_updated') expect(inner).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
    expect(inner, `${key} is null`).not.toBeNull()
    checkTimes(inner)
  }
}

function checkError(response: Response, body: string, found: FoundRoute | undefined): void {
  if (found) {
    const documented = [...COMMON_ERRORS, ...Object.keys(found.route.errors ?? {}).map(Number)]
    const isSocketOnly = found.route.socketOnly === true && response.status === 404
    expect(
      isSocketOnly || documented.includes(response.status),
      `${found.id} does not document ${response.status}: ${body}`,
    ).toBe(true)
  }
  checkSentence(response, body)
}

/** One line of plain text without a stack, a module or a folder of this machine. */
export function checkSentence(response: Response, body: string): void {
  expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  expect(body).toMatch(/^[^\n\r]{10,4000}\n$/)
  expect(body).not.toMatch(/\p{Cc}(?!$)/u)
  expect(body).not.toMatch(/node_modules|\.ts:\d|file:\/\/|\bat \w+ \(|\[object /)
}
