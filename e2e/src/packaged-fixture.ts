import { engineMust } from '@toolhaven/testing/testbed/engine-http'
import type { DaemonProcess } from './daemon-process.ts'
import { FIXTURE_IMAGE } from './fixture-image.ts'
import type { Platform } from './platform.ts'

const PACKAGE = 'npx://thv-packaged-fixture@1.0.0'

/** The fixture as a package that was built before, on an engine: its image has the name that a build would give it. */
export async function packagedFixture({ engine, fixture }: Platform, daemon: DaemonProcess): Promise<string> {
  if (!engine) return fixture
  const { image } = await daemon.api.call('getBuildRecipe', { query: { package: PACKAGE } })
  const [repo = '', tag = ''] = image.split(/:(?=[^/]*$)/)
  const query = new URLSearchParams({ repo, tag })
  await engineMust(engine.socketPath, 'POST', `/images/${encodeURIComponent(FIXTURE_IMAGE)}/tag?${query}`)
  return PACKAGE
}
