import { CONSOLE_TOKEN_HEADER } from '@toolhaven/contract/console'
import type { ConsoleLogins } from '@toolhaven/core/console/console-logins'

const MOST_COOKIES = 20
const MAX_AGE_SECONDS = 30 * 24 * 60 * 60

export function hostOf(request: Request): string {
  return request.headers.get('host') ?? new URL(request.url).host
}

/** Cookies ignore ports, so the name distinguishes the daemons of one machine. */
function cookieName(request: Request): string {
  const { port } = new URL(`http://${hostOf(request)}`)
  return `toolhaven-console-${port || '80'}`
}

/**
 * A page on another port can set cookies of this name with longer paths, which the browser sends first. So the first few are tried,
 * not only the first.
 */
export function consoleCookies(request: Request): string[] {
  const name = cookieName(request)
  const pairs = (request.headers.get('cookie') ?? '').split(';').map((pair) => pair.trim().split('='))
  return pairs
    .filter(([key]) => key === name)
    .slice(0, MOST_COOKIES)
    .map(([, value = '']) => value)
}

/** An empty value removes the cookie. No script can read it, and requests from other sites do not carry it. */
export function withCookie(request: Request, response: Response, value: string): Response {
  const age = value === '' ? 0 : MAX_AGE_SECONDS
  response.headers.set(
    'set-cookie',
    `${cookieName(request)}=${value}; Path=/api/; Max-Age=${age}; HttpOnly; SameSite=Strict`,
  )
  response.headers.set('cache-control', 'no-store')
  return response
}

/** The browser sets this header, and no page can forge it. */
export function isSameOrigin(request: Request): boolean {
  return request.headers.get('sec-fetch-site') === 'same-origin'
}

/** Every port of a host receives the cookie, so a cookie alone is not enough. */
export async function isConsole(request: Request, logins: ConsoleLogins): Promise<boolean> {
  const pageToken = request.headers.get(CONSOLE_TOKEN_HEADER)
  if (pageToken === null || !isSameOrigin(request)) return false
  for (const cookie of consoleCookies(request)) if (await logins.isAdmitted(cookie, pageToken)) return true
  return false
}
