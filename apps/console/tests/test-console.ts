import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { launchBrowser } from '@toolhaven/testing/browser'
import { type PackageRegistry, startPackageRegistry } from '@toolhaven/testing/testbed/package-registry'
import { type DaemonProcess, startDaemon } from '../../../e2e/src/daemon-process.ts'
import {
  FIXTURE_PACKAGE,
  SHOWCASE_PACKAGE,
  writeFixturePackage,
  writeShowcasePackage,
} from '../../../e2e/src/fixture-package.ts'
import { type Home, makeHome } from '../../../e2e/src/home.ts'

export const WIDE = { width: 1280, height: 900 }
export const PHONE = { width: 390, height: 844 }

/** A working MCP server, as a workload's `image`. */
export const FIXTURE = `npx://${FIXTURE_PACKAGE}@1.0.0`

/** One whose tools need every kind of form and give every kind of result. */
export const SHOWCASE = `npx://${SHOWCASE_PACKAGE}@1.0.0`

export interface TestConsole extends AsyncDisposable {
  home: Home
  daemon: () => DaemonProcess
  /** Where its servers come from. */
  packages: PackageRegistry
  /** Starts the daemon again at its old port. */
  restartDaemon: () => Promise<void>
  /** A page of its own context; a route, or a link of the daemon. What its console says lands in `complaints`. */
  open: (route: string, options?: BrowserContextOptions) => Promise<Page>
  complaints: string[]
}

/** A daemon with sandboxed processes, which serves the built console, and a browser. */
export async function startConsole(env: Readonly<Record<string, string>> = {}): Promise<TestConsole> {
  await using stack = new AsyncDisposableStack()
  const folder = await mkdtemp(path.join(tmpdir(), 'thv-console-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  await writeFixturePackage(path.join(folder, FIXTURE_PACKAGE), FIXTURE_PACKAGE)
  await writeShowcasePackage(path.join(folder, SHOWCASE_PACKAGE))
  const folders = [FIXTURE_PACKAGE, SHOWCASE_PACKAGE].map((name) => path.join(folder, name))
  const packages = stack.use(await startPackageRegistry(folders))
  const home = stack.use(await makeHome({ env: { THV_RUNTIME: 'process', npm_config_registry: packages.url, ...env } }))
  let daemon = await startDaemon(home)
  stack.defer(() => daemon[Symbol.asyncDispose]())
  const browser = await launchBrowser()
  stack.defer(() => browser.close())
  const complaints: string[] = []
  const all = stack.move()
  return {
    ...{ home, complaints, packages },
    daemon: () => daemon,
    restartDaemon: async () => {
      daemon = await startDaemon(home, ['--port', String(daemon.port)])
    },
    open: (route, options) => openPage(browser, new URL(route, daemon.baseUrl).href, complaints, options),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

async function openPage(
  browser: Browser,
  address: string,
  complaints: string[],
  options: BrowserContextOptions = {},
): Promise<Page> {
  const context = await browser.newContext({ viewport: WIDE, colorScheme: 'dark', ...options })
  // A deadline against hanging: a busy machine must not fail a correct test.
  context.setDefaultTimeout(30_000)
  const page = await context.newPage()
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`))
  page.on('console', (message) => {
    // An answer with an error status is told by the page itself.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      complaints.push(message.text())
  })
  page.on('request', (request) => {
    if (new URL(request.url()).host !== new URL(address).host) complaints.push(`outside request: ${request.url()}`)
  })
  await page.goto(address)
  return page
}
