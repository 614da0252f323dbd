import { NEEDS_LOGIN } from '@toolhaven/core/workloads/needs-login'
import { ThvError } from '@toolhaven/core/errors'
import type { Context } from '../context.ts'
import { openInBrowser } from '../open-in-browser.ts'

export interface LoginWait {
  /** Takes the address to log in at from a status; true when there was one. */
  tell: (context: string) => boolean
  /** Aborted when nobody logged in for too long. */
  signal: AbortSignal
  [Symbol.dispose]: () => void
}

export interface LoginWaitOptions {
  name: string
  timeoutMs: number
  /** Asked for; it happens at a terminal only, where a person is. */
  openBrowser: boolean
}

/** Says where to log in, each time there is another address, and how long is waited for it. */
export function waitForLogin({ out }: Pick<Context, 'out'>, options: LoginWaitOptions): LoginWait {
  const { name, timeoutMs, openBrowser } = options
  const late = new AbortController()
  let told = ''
  let timer: NodeJS.Timeout | undefined
  return {
    signal: late.signal,
    tell(context) {
      const url = loginUrl(context)
      if (url === undefined) return false
      if (url === told) return true
      told = url
      out.note(`${name} needs a login. Open this address in a browser:\n\n  ${url}\n`)
      if (openBrowser && out.isTerminal) openInBrowser(url)
      clearTimeout(timer)
      timer = setTimeout(() => late.abort(tooLate(name, url, timeoutMs)), timeoutMs)
      return true
    },
    [Symbol.dispose]: () => clearTimeout(timer),
  }
}

/** Only what is surely an address, in the form that the parser gives it: others chose its text. */
export function loginUrl(context: string): string | undefined {
  if (!context.startsWith(NEEDS_LOGIN)) return undefined
  const url = URL.parse(context.slice(NEEDS_LOGIN.length).split(' ', 1)[0] ?? '')
  return url?.protocol === 'https:' || url?.protocol === 'http:' ? url.href : undefined
}

function tooLate(name: string, url: string, timeoutMs: number): ThvError {
  return new ThvError(
    'conflict',
    `nobody logged in to ${name} within ${Math.round(timeoutMs / 1000)} s; it goes on waiting at ${url}\n` +
      `"thv list" shows when it runs, "thv rm ${name}" removes it.`,
  )
}
