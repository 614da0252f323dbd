import { type FakeDaemon, type FakeDaemonParts, startFakeDaemon } from '@toolhaven/fakes/fake-daemon'
import { createApiClient } from '@toolhaven/contract/client'
import { consolePage, listenInTest } from '../../../../e2e/src/listen-in-test.ts'
import { consoleFolder } from '../../../../tools/console-build.ts'

export interface ScriptedDaemon extends AsyncDisposable {
  fake: FakeDaemon
  url: string
  api: ReturnType<typeof createApiClient>
}

/** The real domain and API on fakes, which serve the built console: everything that it shows can be written in advance. */
export async function startScriptedDaemon(parts: FakeDaemonParts = {}): Promise<ScriptedDaemon> {
  const fake = await startFakeDaemon({ page: consolePage(consoleFolder), ...parts })
  const listener = await listenInTest(fake.app)
  return {
    ...{ fake, url: listener.url },
    api: createApiClient({ baseUrl: listener.url, fetch: async (request) => fake.app.fetch(request) }),
    [Symbol.asyncDispose]: async () => {
      fake[Symbol.dispose]()
      await listener[Symbol.asyncDispose]()
    },
  }
}
