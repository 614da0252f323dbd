import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Fixture, publishFixture } from './fixture.ts'
import { type Home, makeHome } from './home.ts'
import { type Hundred, startHundred } from './hundred.ts'

/** What the benches share: created when first needed, removed at the end. */
export interface Rig extends AsyncDisposable {
  folder: string
  fixture: Fixture
  /** A home whose daemon runs sandboxed processes and fetches packages from the fixture's registry. */
  processHome: () => Promise<Home>
  hundred: () => Promise<Hundred>
  say: (line: string) => void
}

export async function makeRig(say: (line: string) => void): Promise<Rig> {
  const stack = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'thv-bench-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  const fixture = stack.use(await publishFixture(folder))
  const processHome = () => makeHome({ THV_RUNTIME: 'process', npm_config_registry: fixture.registry.url })
  let hundred: Promise<Hundred> | undefined
  const rig: Rig = {
    folder,
    fixture,
    processHome,
    say,
    hundred: () =>
      (hundred ??= startHundred({ image: fixture.image, makeHome: processHome, say }).then((started) =>
        stack.use(started),
      )),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
  return rig
}
