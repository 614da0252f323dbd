import * as z from 'zod'
import { API_PREFIX, created, noContent, ok, type Routes } from './route.ts'

/** The header that proves that a request with the console's cookie comes from the console itself. */
export const CONSOLE_TOKEN_HEADER = 'x-toolhaven-console'

export const consoleLink = z
  .strictObject({
    url: z
      .string()
      .meta({ description: 'Where the console opens, with the code in the fragment if a login is needed' }),
    expires_at: z.iso
      .datetime()
      .optional()
      .meta({ description: 'When the link expires. It works once. Absent if no login is needed' }),
  })
  .meta({ id: 'toolhaven.consoleLink', description: 'A link to the console' })
export type ConsoleLink = z.infer<typeof consoleLink>

export const consoleProof = z
  .strictObject({
    code: z.string().optional().meta({ description: 'The code from a link' }),
    token: z.string().optional().meta({ description: 'The token of the API' }),
  })
  .refine(({ code, token }) => (code === undefined) !== (token === undefined), 'needs exactly one of code or token')
  .meta({
    id: 'toolhaven.consoleProof',
    description: 'What logs a browser in',
    oneOf: [{ required: ['code'] }, { required: ['token'] }],
  })

export const consoleSession = z
  .strictObject({
    login: z
      .enum(['not-needed', 'needed', 'done'])
      .meta({ description: 'not-needed: everyone who reaches the API may use it' }),
    token: z
      .string()
      .optional()
      .meta({ description: `What to send as ${CONSOLE_TOKEN_HEADER} with every request; only present when logged in` }),
    expires_at: z.iso.datetime().optional().meta({ description: 'When the login ends' }),
  })
  .meta({ id: 'toolhaven.consoleSession', description: 'Whether this browser may use the API' })
export type ConsoleSession = z.infer<typeof consoleSession>

export const consoleLogin = z
  .strictObject({
    id: z.string().meta({ description: 'ID of the login' }),
    created_at: z.iso.datetime().meta({ description: 'When the browser logged in' }),
    expires_at: z.iso.datetime().meta({ description: 'When the login ends' }),
  })
  .meta({ id: 'toolhaven.consoleLogin', description: 'A browser that is logged in' })
export type ConsoleLogin = z.infer<typeof consoleLogin>

export const consoleLoginList = z
  .strictObject({ logins: z.array(consoleLogin).meta({ description: 'Oldest first' }) })
  .meta({ id: 'toolhaven.consoleLoginList', description: 'The browsers that are logged in' })

const tag = 'system'
const path = `${API_PREFIX}/console`
const exampleLogin: ConsoleLogin = {
  id: '5c1f0e9a7b3d',
  created_at: '2026-01-15T09:30:00Z',
  expires_at: '2026-02-14T09:30:00Z',
}

export const consoleRoutes = {
  createConsoleLink: {
    method: 'POST',
    path: `${path}/logins`,
    tag,
    summary: 'Make a link to the console (unix socket only)',
    description:
      'The code in the link is valid for 60 seconds and works once. If no login is needed, the link has no code.',
    success: created(consoleLink, 'The link', {
      url: 'http://localhost:8080/#login=QmVlcHMgYW5kIGJvb3BzIGFyZSBub3QgYSBjb2Rl',
      expires_at: '2026-01-15T09:31:00Z',
    }),
    errors: {
      405: {
        when: 'the call did not come over the unix socket',
        example: 'POST is not possible here; use DELETE, GET',
      },
      409: {
        when: 'the daemon has no port',
        example:
          'the console cannot be reached: another program has the port of the API; free it or choose another one',
      },
    },
    extension: true,
    socketOnly: true,
  },
  listConsoleLogins: {
    method: 'GET',
    path: `${path}/logins`,
    tag,
    summary: 'List the browsers that are logged in',
    success: ok(consoleLoginList, 'The logins', { logins: [exampleLogin] }),
    extension: true,
  },
  deleteConsoleLogins: {
    method: 'DELETE',
    path: `${path}/logins`,
    tag,
    summary: 'Log every browser out',
    success: noContent,
    extension: true,
  },
  deleteConsoleLogin: {
    method: 'DELETE',
    path: `${path}/logins/{id}`,
    tag,
    summary: 'Log one browser out',
    params: z.strictObject({ id: z.string().meta({ description: 'ID of the login' }) }),
    success: noContent,
    errors: { 404: { when: 'no such login', example: 'there is no login with this ID; it may have ended' } },
    extension: true,
  },
  getConsoleSession: {
    method: 'GET',
    path: `${path}/session`,
    tag,
    summary: 'See whether this browser may use the API',
    description: 'For the console itself. Needs no API token, and gives a browser that is logged in its own token.',
    success: ok(consoleSession, 'The session', { login: 'not-needed' }),
    extension: true,
  },
  openConsoleSession: {
    method: 'POST',
    path: `${path}/session`,
    tag,
    summary: 'Log this browser in',
    description: 'With the code of a link, or with the token of the API. The answer sets a cookie.',
    body: consoleProof,
    bodyExample: { code: 'QmVlcHMgYW5kIGJvb3BzIGFyZSBub3QgYSBjb2Rl' },
    success: ok(consoleSession, 'The session', {
      login: 'done',
      token: 'wZ0bYhJXo2m1S1n8p3v7cQ',
      expires_at: '2026-02-14T09:30:00Z',
    }),
    extension: true,
  },
  closeConsoleSession: {
    method: 'DELETE',
    path: `${path}/session`,
    tag,
    summary: 'Log this browser out',
    success: noContent,
    extension: true,
  },
} as const satisfies Routes
