import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const PROGRAMS = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium', '/usr/bin/google-chrome']

/** What is drawn beforehand needs a browser, unlike the build itself. */
export function launchDrawing(): Promise<Browser> {
  const executablePath = PROGRAMS.find((file) => existsSync(file))
  if (executablePath === undefined) throw new Error('Pictures are drawn by Chromium: install the package chromium.')
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] })
}
