import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, type BrowserContext, chromium } from 'playwright-core'

const WINDOWED = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
/** The same engine without windows takes half the processor time. */
const HEADLESS = ['/usr/bin/chromium-headless-shell', ...WINDOWED]

export interface BrowserOptions {
  /** For tests that tell tabs from windows, which the headless program does not have. */
  windows?: boolean
  args?: readonly string[]
}

/** The sandbox of the browser needs rights that a test run as root in a container does not have. */
const ARGS = ['--no-sandbox', '--disable-dev-shm-usage']

/** Debian's browser. */
export function launchBrowser({ windows = false, args = [] }: BrowserOptions = {}): Promise<Browser> {
  return chromium.launch({ executablePath: find(windows ? WINDOWED : HEADLESS), args: [...ARGS, ...args] })
}

/** Like a user's browser, with a profile: it connects ahead of time to hosts that a page names. */
export async function launchUserBrowser(): Promise<{ context: BrowserContext } & AsyncDisposable> {
  await using stack = new AsyncDisposableStack()
  const profile = await mkdtemp(join(tmpdir(), 'thv-browser-'))
  stack.defer(() => rm(profile, { recursive: true, force: true, maxRetries: 3 }))
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: find(WINDOWED),
    args: ARGS,
    ignoreDefaultArgs: ['--disable-background-networking'],
  })
  stack.defer(() => context.close())
  const all = stack.move()
  return { context, [Symbol.asyncDispose]: () => all.disposeAsync() }
}

function find(places: readonly string[]): string {
  const file = places.find((each) => existsSync(each))
  if (file === undefined) throw new Error('There is no Chromium: install the package chromium.')
  return file
}
