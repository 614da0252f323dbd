import type { ConsoleLink, consoleRoutes, ConsoleSession } from '@toolhaven/contract/console'
import type { Admission } from '@toolhaven/core/console/console-logins'
import { plainHttpAdvice } from '@toolhaven/core/console/plain-http-advice'
import { conflict, ThvError } from '@toolhaven/core/errors'
import type { ApiDeps } from '../api-deps.ts'
import type { Handlers } from '../bind.ts'
import { consoleCookies, hostOf, isSameOrigin, withCookie } from '../console-cookie.ts'
import { jsonResponse } from '../json-response.ts'

export function consoleHandlers(deps: ApiDeps): Pick<Handlers, keyof typeof consoleRoutes> {
  const { logins } = deps.console
  return {
    createConsoleLink: () => makeLink(deps),
    listConsoleLogins: () => ({
      logins: logins
        .list()
        .map((login) => ({ id: login.name, created_at: login.createdAt, expires_at: login.expiresAt })),
    }),
    deleteConsoleLogins: async () => void (await logins.revokeAll()),
    deleteConsoleLogin: async ({ params }) => void (await logins.revoke(params.id)),
    getConsoleSession: ({ request }) => sessionOf(deps, request),
    openConsoleSession: async ({ request, body }) => {
      if (!logins.isNeeded) return { login: 'not-needed' }
      refuseOthers(request)
      const { code, token = '' } = body
      const admission = await (code === undefined ? logins.enterWithToken(token) : logins.enterWithCode(code))
      return withCookie(request, jsonResponse(JSON.stringify(doneOf(admission))), admission.cookie)
    },
    closeConsoleSession: async ({ request }) => {
      for (const cookie of consoleCookies(request)) await logins.leave(cookie)
      return withCookie(request, new Response(null, { status: 204 }), '')
    },
  }
}

async function makeLink({ console: { logins, address } }: ApiDeps): Promise<ConsoleLink> {
  const url = address()
  if (url === undefined)
    throw conflict(
      'the console cannot be reached: another program has the port of the API; free it or choose another one',
    )
  if (!logins.isNeeded) return { url }
  const { code, expiresAt } = await logins.makeCode()
  return { url: `${url}#login=${code}`, expires_at: expiresAt }
}

async function sessionOf({ console: { logins } }: ApiDeps, request: Request): Promise<ConsoleSession> {
  if (!logins.isNeeded) return { login: 'not-needed' }
  // The cookie is useless without this token, which only a page of the same origin gets.
  if (!isSameOrigin(request)) return { login: 'needed' }
  for (const cookie of consoleCookies(request)) {
    const page = await logins.pageOf(cookie)
    if (page) return doneOf(page)
  }
  return { login: 'needed' }
}

const doneOf = ({ pageToken, expiresAt }: Pick<Admission, 'pageToken' | 'expiresAt'>): ConsoleSession => ({
  login: 'done',
  token: pageToken,
  expires_at: expiresAt,
})

function refuseOthers(request: Request): void {
  if (isSameOrigin(request)) return
  const isSilent = !request.headers.has('sec-fetch-site')
  const advice = isSilent ? plainHttpAdvice(new URL(`http://${hostOf(request)}`)) : undefined
  throw new ThvError(
    'forbidden',
    advice ?? 'only the console itself logs a browser in; open it at the address of the API',
  )
}
