import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import type { WorkloadEvent } from '@toolhaven/contract/events'
import { buildBaseImages } from '@toolhaven/testing/testbed/base-images'
import type { Engine } from '@toolhaven/testing/testbed/engine'
import { engineHttp, engineMust } from '@toolhaven/testing/testbed/engine-http'
import { startPackageRegistry } from '@toolhaven/testing/testbed/package-registry'
import { sample, slowed } from '@toolhaven/testing/rotation'
import { until } from '@toolhaven/testing/testbed/until'
import { type Build, SHIPPED } from '../src/attacks/build.ts'
import { describeAttack } from '../src/attacks/describe-attack.ts'
import { KEPT_TOKENS } from '../src/attacks/install-weaknesses.ts'
import { openAddress } from '../src/attacks/own-address.ts'
import { writeFixturePackage } from '../src/fixture-package.ts'
import { watchEvents } from '../src/events.ts'
import type { Home } from '../src/home.ts'
import { type Platform, PLATFORMS, platformsInTurn, usePlatform } from '../src/platform.ts'
import { untilGone, untilStatus } from '../src/statuses.ts'

const TOKEN = 'npm_canary_91b3c2'
const NAME = 'thv-private'

const listed = z.array(z.looseObject({ Id: z.string() }))
const named = z.array(z.looseObject({ RepoTags: z.array(z.string()).nullish() }))

async function get({ socketPath }: Engine, path: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    request({ socketPath, path }, (response) => buffer(response).then(resolve, reject))
      .on('error', reject)
      .end()
  })
}

function engineOf({ engine }: Platform): Engine {
  if (!engine) throw new Error('this platform has an engine')
  return engine
}

/** Paths of the containers and images that builds left, including images that the last step did not name any more. */
async function leftoversOn({ socketPath }: Engine): Promise<string[]> {
  const find = async (kind: string, filters: object) => {
    const query = new URLSearchParams({ all: 'true', filters: JSON.stringify(filters) })
    const found = listed.parse(JSON.parse(await engineMust(socketPath, 'GET', `${kind}/json?${query}`)))
    return found.map(({ Id }) => `${kind}/${Id}`)
  }
  return [
    ...(await find('/containers', { label: ['toolhaven-build'] })),
    ...(await find('/images', { label: ['toolhaven-build'] })),
    ...(await find('/images', { label: ['toolhaven-builder'], dangling: ['true'] })),
  ]
}

/** Names of the images that we built. */
async function imagesOn({ socketPath }: Engine): Promise<string[]> {
  const images = named.parse(JSON.parse(await engineMust(socketPath, 'GET', '/images/json')))
  return images.flatMap(({ RepoTags }) => RepoTags ?? []).filter((tag) => tag.startsWith('toolhaven.local/'))
}

/** Whether the token is in a file or in the configuration of one of them. */
async function hasToken(engine: Engine): Promise<boolean> {
  const paths = await leftoversOn(engine)
  const files = paths.map((path) => `${path}/${path.startsWith('/images') ? 'get' : 'export'}`)
  // One by one, because each of the files is an image of its own.
  for (const path of [...files, ...paths.map((found) => `${found}/json`)])
    if ((await get(engine, path)).includes(TOKEN)) return true
  return false
}

const run = promisify(execFile)

/** Whether it is in a file of the daemon. */
async function isInFiles({ env }: Home): Promise<boolean> {
  const { stdout } = await run('grep', ['-rl', TOKEN, env['XDG_DATA_HOME'] ?? '']).catch(() => ({ stdout: '' }))
  return stdout !== ''
}

const READ_ALL = `cat /proc/[0-9]*/environ /proc/[0-9]*/root/build/config/npmrc /proc/[0-9]*/root/build/npmrc 2>/dev/null`

/** Whether a person on this machine finds it in the processes that they may inspect. */
async function isRead(): Promise<boolean> {
  const { stdout } = await run('/bin/sh', ['-c', `${READ_ALL}; true`], { uid: 1000, gid: 1000, cwd: '/' })
  return stdout.includes(TOKEN)
}

interface Killed extends AsyncDisposable {
  home: Home
  /** Starts the daemon again, with a registry that answers. */
  again: () => Promise<void>
  /** Whether user 1000 saw it before. */
  wasRead: boolean
}

/**
 * The moment when a daemon is killed: while npm fetches, while a script of the package runs, or while the engine puts
 * the image together.
 */
const MOMENTS = ['fetch', 'script', 'image'] as const
type Moment = (typeof MOMENTS)[number]
/** The script asks the registry for this, and ends when it is answered. */
const SCRIPT_RUNS = '/script-runs.tgz'
/** The size of the package, so that the engine has not finished the image before the daemon is dead. */
const LARGE_BYTES = 64 << 20

/** A package that is large, or with a script that waits for the registry. */
async function writePrivatePackage(folder: string, moment: Moment): Promise<void> {
  await writeFixturePackage(folder, NAME)
  if (moment === 'image') await writeFile(join(folder, 'large'), randomBytes(LARGE_BYTES))
  if (moment !== 'script') return
  const manifest = { name: NAME, version: '1.0.0', type: 'module', bin: { [NAME]: 'fixture-server.mjs' } }
  const scripts = { postinstall: 'node wait.mjs' }
  await writeFile(join(folder, 'package.json'), JSON.stringify({ ...manifest, scripts }))
  await writeFile(join(folder, 'wait.mjs'), `await fetch(new URL('${SCRIPT_RUNS}', process.env.npm_config_registry))\n`)
}

function isLastStep({ status, status_context: reason, progress }: WorkloadEvent): boolean {
  if (status === 'error') throw new Error(reason)
  return progress?.phase === 'building' && progress.done === 2
}

/** A daemon that is killed while it installs a package with a token. */
async function killAt(moment: Moment, build: Build, { engine, makeHome }: Platform, host: string): Promise<Killed> {
  await using stack = new AsyncDisposableStack()
  if (engine) await buildBaseImages(engine, ['node'])
  // No daemon follows a killed one to look at this.
  stack.defer(async () => {
    if (!engine) return
    const made = (await imagesOn(engine)).map((name) => `/images/${name}`)
    for (const path of [...(await leftoversOn(engine)), ...made])
      await engineHttp(engine.socketPath, 'DELETE', `${path}?force=true`)
  })
  const folder = await mkdtemp(join(tmpdir(), 'thv-tokens-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  await writePrivatePackage(join(folder, NAME), moment)
  const { promise: isOpen, resolve: open } = Promise.withResolvers<void>()
  const awaited = { fetch: `/${NAME}/-/package.tgz`, script: SCRIPT_RUNS, image: undefined }[moment]
  const beforeTarball = (path: string) => (path === awaited ? isOpen : Promise.resolve())
  const registry = stack.use(await startPackageRegistry([join(folder, NAME)], { token: TOKEN, host, beforeTarball }))
  const home = stack.use(await makeHome({ npm_config_registry: '', npm_config_userconfig: '' }))
  const auth = `${registry.url.replace(/^http:/, '')}:_authToken=${TOKEN}`
  await writeFile(join(home.env['HOME'] ?? '', '.npmrc'), `registry=${registry.url}\n${auth}\n`, { mode: 0o644 })
  const daemon = stack.use(await build.start(home))
  using events = await watchEvents(daemon)
  await daemon.api.call('createWorkload', { body: { name: 'private', image: `npx://${NAME}@1.0.0` } })
  if (awaited === undefined) await events.next(isLastStep)
  else await until(`the ${moment}`, () => registry.requests.includes(awaited), 400_000)
  // Not in the last step, which could end in the meantime.
  const wasRead = moment === 'fetch' && (await isRead())
  await daemon.kill()
  const kept = stack.move()
  return {
    home,
    wasRead,
    again: async () => {
      open()
      const next = kept.use(await build.start(home))
      await untilStatus(next, 'private', 'running')
      await next.api.call('deleteWorkload', { params: { name: 'private' } })
      await untilGone(next, 'private')
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

describe.each(platformsInTurn(import.meta.url))('on %s', (kind) => {
  const platform = usePlatform(kind)

  if (kind === 'process')
    return describeAttack('a look at what is left of an install that was killed while its script ran', {
      defence: 'a configuration that is gone before scripts run',
      weaknesses: KEPT_TOKENS[kind],
      attack: async (build, context) => {
        await using own = await openAddress(context)
        await using killed = await killAt('script', build, platform(context), own.address)
        return { 'the token': await isInFiles(killed.home) }
      },
    })

  describeAttack('a look at a fetch and at what it left when it was killed', {
    defence: 'a configuration that is in memory only, and an id that nobody has',
    weaknesses: KEPT_TOKENS[kind],
    attack: async (build, context) => {
      const here = platform(context)
      await using own = await openAddress(context)
      await using killed = await killAt('fetch', build, here, own.address)
      return {
        'the token in what is left': await hasToken(engineOf(here)),
        // Ids in the containers of a rootless engine belong to nobody on this machine.
        ...(kind === 'docker' && { 'the token in a process of user 1000': killed.wasRead }),
      }
    },
  })

  const moments = sample(MOMENTS, 1, slowed(PLATFORMS.length))
  test.for(moments)('kill -9 at the %s: the next daemon removes what is left and builds', async (moment, context) => {
    await using own = await openAddress(context)
    const engine = engineOf(platform(context))
    await using killed = await killAt(moment, SHIPPED, platform(context), own.address)
    expect(await leftoversOn(engine)).not.toEqual([])
    expect(await hasToken(engine)).toBe(false)
    await killed.again()
    expect(await leftoversOn(engine)).toEqual([])
    const made = await imagesOn(engine)
    expect(made).toEqual([expect.stringMatching(/^toolhaven\.local\/npx-thv-private:/)])
    expect((await get(engine, `/images/${made[0]}/get`)).includes(TOKEN)).toBe(false)
  })
})
