import { createConsolePage } from '../../apps/cli/src/console/console-page.ts'
import { listenOnTcp } from '../../apps/cli/src/daemon/listen.ts'

export type TestApp = Parameters<typeof listenOnTcp>[0]

/** The built console, as the daemon serves it. */
export const consolePage = createConsolePage

export interface TestListener extends AsyncDisposable {
  url: string
}

/** An app of the API over HTTP, at a port of its own. */
export async function listenInTest(app: TestApp): Promise<TestListener> {
  const { addresses, close } = await listenOnTcp(app, '127.0.0.1', 0, () => true)
  return { url: `http://127.0.0.1:${addresses[0]?.port}`, [Symbol.asyncDispose]: close }
}
