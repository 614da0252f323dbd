import { NEEDS_LOGIN } from '@toolhaven/core/workloads/needs-login'
import { ThvError } from '@toolhaven/core/errors'
import type { Context } from '../context.ts'
import { openInBrowser } from '../open-in-browser.ts'

export interface LoginWait {
  /** Reads the login address from a status; true if there is one. */
  tell: (context: string) => boolean
  /** Aborted when nobody logs in before the timeout. */
  signal: AbortSignal
  [Symbol.dispose]: () => void
}

export interface LoginWaitOptions {
  name: string
  timeoutMs: number
  /** Whether to open a browser. It opens only at a terminal, where a person is. */
  openBrowser: boolean
}

/** Tells the user where to log in whenever the address changes, and stops waiting after the timeout. */
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

/** Only a valid URL, in the parser's spelling, because the server chooses this text. */
export function loginUrl(context: string): string | undefined {
  if (!context.startsWith(NEEDS_LOGIN)) return undefined
  const url = URL.parse(context.slice(NEEDS_LOGIN.length).split(' ', 1)[0] ?? '')
  return url?.protocol === 'https:' || url?.protocol === 'http:' ? url.href : undefined
}

function tooLate(name: string, url: string, timeoutMs: number): ThvError {
  return new ThvError(
    'conflict',
    `nobody logged in to ${name} within ${Math.round(timeoutMs / 1000)} s. The server still waits for a login at ${url}\n` +
      `"thv list" shows when it runs, "thv rm ${name}" removes it.`,
  )
}
