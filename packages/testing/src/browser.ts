import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const WINDOWED = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
/** The same engine without windows takes half the processor time. */
const HEADLESS = ['/usr/bin/chromium-headless-shell', ...WINDOWED]

export interface BrowserOptions {
  /** For tests that tell tabs from windows, which the headless program does not have. */
  windows?: boolean
  args?: readonly string[]
}

/** Debian's browser. The sandbox of the browser needs rights that a test run as root in a container does not have. */
export function launchBrowser({ windows = false, args = [] }: BrowserOptions = {}): Promise<Browser> {
  const executablePath = (windows ? WINDOWED : HEADLESS).find((file) => existsSync(file))
  if (executablePath === undefined) throw new Error('There is no Chromium: install the package chromium.')
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage', ...args] })
}
