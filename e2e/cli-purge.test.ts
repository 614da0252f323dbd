import { existsSync } from 'node:fs'
import { link, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import * as z from 'zod'
import type { Engine } from '@toolhaven/testing/testbed/engine'
import { engineMust } from '@toolhaven/testing/testbed/engine-http'
import { startPackageRegistry } from '@toolhaven/testing/testbed/package-registry'
import { bridgeOf } from './src/bridge-of.ts'
import { startDaemon } from './src/daemon-process.ts'
import { FIXTURE_PACKAGE, writeFixturePackage } from './src/fixture-package.ts'
import { untilNothingIsLeft } from './src/instances.ts'
import { usePlatform } from './src/platform.ts'
import { thv } from './src/thv.ts'

const platformOf = usePlatform('docker')

test('a purge without a daemon removes containers and the images that were built, and takes no port of others', async (context) => {
  const platform = platformOf(context)
  const { engine, fixture } = platform
  if (!engine) throw new Error('this platform has an engine')
  await using stack = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'thv-e2e-purge-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  const packages = [FIXTURE_PACKAGE, 'thv-named'].map((name) => ({ name, place: join(folder, name) }))
  for (const { name, place } of packages) await writeFixturePackage(place, name)
  const places = packages.map(({ place }) => place)
  const registry = stack.use(await startPackageRegistry(places, { host: await bridgeOf(engine) }))
  const home = stack.use(await platform.makeHome({ npm_config_registry: registry.url }))
  await writeFile(join(home.env['HOME'] ?? '', '.npmrc'), `registry=${registry.url}\n`)
  const before = await imagesOf(engine)
  {
    await using _daemon = await startDaemon(home)
    for (const args of [
      ['run', `npx://${FIXTURE_PACKAGE}@1.0.0`, '--name', 'built'],
      ['run', fixture, '--name', 'pulled'],
      ['build', 'npx://thv-named@1.0.0', '--tag', 'named-by-me:1'],
    ]) {
      const done = await thv(home, args)
      expect(done.code, done.stderr).toBe(0)
    }
  }
  expect((await imagesOf(engine)).filter((tag) => tag.startsWith('toolhaven.local/'))).toHaveLength(2)
  // The output of the purge's daemon is removed with the rest. A second name of the file keeps it.
  const said = join(folder, 'said')
  await writeFile(join(home.stateDir, 'daemon.out'), '', { mode: 0o600 })
  await link(join(home.stateDir, 'daemon.out'), said)

  const purged = await thv(home, ['serve', '--uninstall', '--purge', '--yes', '--format', 'json'])
  expect(purged.code, purged.stderr).toBe(0)
  const { removed, kept } = z
    .object({ removed: z.array(z.string()), kept: z.array(z.string()) })
    .parse(JSON.parse(purged.stdout))
  expect(removed).toEqual(
    expect.arrayContaining([
      'workload built',
      'workload pulled',
      expect.stringMatching(/^image toolhaven\.local\/npx-thv-mcp-fixture:[0-9a-f]{32}$/),
      expect.stringMatching(/^image toolhaven\.local\/npx-thv-named:[0-9a-f]{32}$/),
    ]),
  )
  expect(kept).toEqual(['pulled images: other programs may use them'])
  expect(await imagesOf(engine)).toEqual([...before, 'named-by-me:1'].toSorted())
  await untilNothingIsLeft(platform, home)
  expect(existsSync(home.stateDir)).toBe(false)
  const [, port] = /API +http:\/\/localhost:(\d+)\//.exec(await readFile(said, 'utf8')) ?? []
  expect(Number(port)).toBeGreaterThan(8080)
})

const images = z.array(z.looseObject({ RepoTags: z.array(z.string()).nullish() }))

async function imagesOf(engine: Engine): Promise<string[]> {
  const listed = images.parse(JSON.parse(await engineMust(engine.socketPath, 'GET', '/images/json')))
  return listed.flatMap(({ RepoTags }) => RepoTags ?? []).toSorted()
}
