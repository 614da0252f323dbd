import { expect } from 'vitest'

export interface Answer {
  status: number
  /** The whole text without its newline, or a pattern that it must match. */
  text?: string | RegExp
  /** The whole body. */
  json?: unknown
  /** Part of the body. */
  matches?: object | readonly unknown[]
  /** Exact values. Null: the header must be absent. */
  headers?: Readonly<Record<string, string | null>>
  notContain?: readonly string[]
}

export interface Answered {
  status: number
  text: string
  headers: Headers
}

/** Checks an answer against what a scenario expects. */
export function checkExpected(answered: Answered, { status, text, json, matches, headers, notContain }: Answer): void {
  expect(answered.status, answered.text).toBe(status)
  if (typeof text === 'string') expect(answered.text).toBe(`${text}\n`)
  if (text instanceof RegExp) expect(answered.text).toMatch(text)
  if (json !== undefined) expect(JSON.parse(answered.text)).toEqual(json)
  if (matches !== undefined) expect(JSON.parse(answered.text)).toMatchObject(matches)
  for (const [name, value] of Object.entries(headers ?? {})) expect(answered.headers.get(name)).toBe(value)
  for (const word of notContain ?? []) expect(answered.text).not.toContain(word)
}
