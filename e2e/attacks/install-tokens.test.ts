import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { buildBaseImages } from '@toolhaven/testing/testbed/base-images'
import type { Engine } from '@toolhaven/testing/testbed/engine'
import { engineMust } from '@toolhaven/testing/testbed/engine-http'
import { startPackageRegistry } from '@toolhaven/testing/testbed/package-registry'
import { until } from '@toolhaven/testing/testbed/until'
import { type Build, SHIPPED } from '../src/attacks/build.ts'
import { describeAttack } from '../src/attacks/describe-attack.ts'
import { KEPT_CONFIG } from '../src/attacks/install-weaknesses.ts'
import { openAddress } from '../src/attacks/own-address.ts'
import { writeFixturePackage } from '../src/fixture-package.ts'
import { enginesInTurn, type Platform, usePlatform } from '../src/platform.ts'
import { untilStatus } from '../src/statuses.ts'

const TOKEN = 'npm_canary_91b3c2'
const NAME = 'thv-private'

const listed = z.array(z.looseObject({ Id: z.string() }))

async function get({ socketPath }: Engine, path: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    request({ socketPath, path }, (response) => buffer(response).then(resolve, reject))
      .on('error', reject)
      .end()
  })
}

const QUERY = `all=true&filters=${encodeURIComponent('{"label":["toolhaven-build"]}')}`

/** Paths of the containers and images that builds left. */
async function leftoversOn({ socketPath }: Engine): Promise<string[]> {
  const ids = async (kind: string) =>
    listed.parse(JSON.parse(await engineMust(socketPath, 'GET', `${kind}/json?${QUERY}`)))
  const containers = (await ids('/containers')).map(({ Id }) => `/containers/${Id}`)
  return [...containers, ...(await ids('/images')).map(({ Id }) => `/images/${Id}`)]
}

/** Whether the token is in a file or in the configuration of one of them. */
async function hasToken(engine: Engine): Promise<boolean> {
  const paths = await leftoversOn(engine)
  const files = paths.map((path) => `${path}/${path.startsWith('/images') ? 'get' : 'export'}`)
  const parts = await Promise.all([...files, ...paths.map((path) => `${path}/json`)].map((path) => get(engine, path)))
  return parts.some((part) => part.includes(TOKEN))
}

interface Killed extends AsyncDisposable {
  engine: Engine
  /** Starts the daemon again, with a registry that answers. */
  again: () => Promise<void>
}

/** A daemon that is killed while it fetches a package with a token. */
async function killWhileFetching(build: Build, { engine, makeHome }: Platform, host: string): Promise<Killed> {
  if (!engine) throw new Error('this platform has an engine')
  await using stack = new AsyncDisposableStack()
  await buildBaseImages(engine, ['node'])
  // No daemon comes after one that was killed to look at this.
  stack.defer(async () => {
    for (const path of await leftoversOn(engine)) await engineMust(engine.socketPath, 'DELETE', `${path}?force=true`)
  })
  const folder = await mkdtemp(join(tmpdir(), 'thv-tokens-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  await writeFixturePackage(join(folder, NAME), NAME)
  const { promise: isOpen, resolve: open } = Promise.withResolvers<void>()
  const registry = stack.use(
    await startPackageRegistry([join(folder, NAME)], { token: TOKEN, host, beforeTarball: () => isOpen }),
  )
  const home = stack.use(await makeHome({ npm_config_registry: '', npm_config_userconfig: '' }))
  const auth = `${registry.url.replace(/^http:/, '')}:_authToken=${TOKEN}`
  await writeFile(join(home.env['HOME'] ?? '', '.npmrc'), `registry=${registry.url}\n${auth}\n`, { mode: 0o644 })
  const daemon = stack.use(await build.start(home))
  await daemon.api.call('createWorkload', { body: { name: 'private', image: `npx://${NAME}@1.0.0` } })
  await until('the package to be fetched', () => registry.requests.some((path) => path.endsWith('.tgz')), 120_000)
  await daemon.kill()
  const kept = stack.move()
  return {
    engine,
    again: async () => {
      open()
      const next = kept.use(await build.start(home))
      await untilStatus(next, 'private', 'running')
      await next.api.call('deleteWorkload', { params: { name: 'private' } })
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

describe.each(enginesInTurn())('on %s', (kind) => {
  const platform = usePlatform(kind)

  describeAttack('a look at what a killed build left', {
    defence: 'a configuration that is in memory only',
    weaknesses: KEPT_CONFIG,
    attack: async (build, context) => {
      await using own = await openAddress(context)
      await using killed = await killWhileFetching(build, platform(context), own.address)
      return { 'the token of the registry': await hasToken(killed.engine) }
    },
  })

  test('the next daemon removes what is left, and finishes the build without the token in it', async (context) => {
    await using own = await openAddress(context)
    await using killed = await killWhileFetching(SHIPPED, platform(context), own.address)
    expect(await leftoversOn(killed.engine)).not.toEqual([])
    await killed.again()
    expect(await leftoversOn(killed.engine)).toEqual([])
    const images = await engineMust(killed.engine.socketPath, 'GET', '/images/json')
    const made = z
      .array(z.looseObject({ RepoTags: z.array(z.string()).nullish() }))
      .parse(JSON.parse(images))
      .flatMap(({ RepoTags }) => RepoTags ?? [])
      .filter((tag) => tag.startsWith('toolhaven.local/'))
    expect(made).toEqual([expect.stringMatching(/^toolhaven\.local\/npx-thv-private:/)])
    expect((await get(killed.engine, `/images/${made[0]}/get`)).includes(TOKEN)).toBe(false)
  })
})
