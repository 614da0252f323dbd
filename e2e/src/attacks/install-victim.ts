import { chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'vitest'
import * as z from 'zod'
import { type BaseImage, buildBaseImages } from '@toolhaven/testing/testbed/base-images'
import type { Engine } from '@toolhaven/testing/testbed/engine'
import { engineMust } from '@toolhaven/testing/testbed/engine-http'
import type { DaemonProcess } from '../daemon-process.ts'
import { FIXTURE_IMAGE } from '../fixture-image.ts'
import type { Home } from '../home.ts'
import type { Platform } from '../platform.ts'
import { untilGone, untilStatus } from '../statuses.ts'
import type { Build } from './build.ts'
import type { Targets } from './hostile-packages.ts'
import { openAddress } from './own-address.ts'

/** Of the package index in use. */
export const INDEX_TOKEN = 'npm_canary_5f1d7e'
/** Of servers from packages, where the daemon is root's. */
export const UNUSED_ID = 2_000_000_000
/** More than scripts and servers may start. */
export const PROCESSES = 560

async function listen(where: { host: string } | { path: string }): Promise<{ port: number } & AsyncDisposable> {
  const server: Server = createServer((socket) =>
    socket
      .on('error', () => undefined)
      .resume()
      .end('hello'),
  )
  await new Promise<void>((done) => server.listen('path' in where ? where : { port: 0, ...where }, done))
  const address = server.address()
  const port = address !== null && typeof address === 'object' ? address.port : 0
  return { port, [Symbol.asyncDispose]: () => new Promise((done) => server.close(() => done())) }
}

interface VictimOptions {
  context: TestContext
  bases: readonly BaseImage[]
  /** Variables of the daemon, when the address is known. */
  settings?: (host: string) => Promise<Record<string, string>>
}

const inspected = z.looseObject({
  NetworkSettings: z.looseObject({
    IPAddress: z.string().optional(),
    Networks: z.record(z.string(), z.looseObject({ IPAddress: z.string().optional() })).nullish(),
  }),
})

/** A container on the network that all share. */
async function startNeighbour({ socketPath }: Engine): Promise<{ host: string; port: number } & AsyncDisposable> {
  const json = {
    Image: FIXTURE_IMAGE,
    Cmd: ['--transport=streamable-http', '--host=0.0.0.0', '--port=8123'],
    HostConfig: { NetworkMode: 'bridge' },
  }
  await engineMust(socketPath, 'POST', '/containers/create?name=neighbour', { json })
  await engineMust(socketPath, 'POST', '/containers/neighbour/start')
  const { NetworkSettings: found } = inspected.parse(
    JSON.parse(await engineMust(socketPath, 'GET', '/containers/neighbour/json')),
  )
  const [network] = Object.values(found.Networks ?? {})
  return {
    host: network?.IPAddress || found.IPAddress || '',
    port: 8123,
    [Symbol.asyncDispose]: async () =>
      void (await engineMust(socketPath, 'DELETE', '/containers/neighbour?force=true')),
  }
}

/** A person's machine with a daemon, and what a package that it installs would like to reach. */
export interface Victim extends AsyncDisposable {
  home: Home
  daemon: DaemonProcess
  targets: Targets
  /** Of the registries. */
  host: string
  folder: string
}

export async function openVictim(
  build: Build,
  here: Platform,
  { context, bases, settings }: VictimOptions,
): Promise<Victim> {
  await using stack = new AsyncDisposableStack()
  const { address: host } = stack.use(await openAddress(context))
  if (here.engine) await buildBaseImages(here.engine, bases)
  const folder = await mkdtemp(join(tmpdir(), 'thv-hostile-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  const home = stack.use(
    await here.makeHome({ npm_config_registry: '', npm_config_userconfig: '', ...(await settings?.(host)) }),
  )
  const daemon = stack.use(await build.start(home))
  const service = stack.use(await listen({ host: '0.0.0.0' }))
  const abstract = `\0thv-hostile-${process.pid}`
  stack.use(await listen({ path: abstract }))
  const neighbour = here.engine && stack.use(await startNeighbour(here.engine))
  const ssh = join(home.env['HOME'] ?? '', '.ssh')
  await mkdir(ssh)
  await writeFile(join(ssh, 'id'), 'a key\n')
  if (home.user) for (const path of [ssh, join(ssh, 'id')]) await chown(path, home.user.uid, home.user.gid)
  const loopback = { host: '127.0.0.1', port: service.port }
  const targets: Targets = {
    places: {
      'a service on an address of the machine': { host, port: service.port },
      ...(neighbour
        ? { 'a neighbour': { host: neighbour.host, port: neighbour.port } }
        : {
            'a service on the loopback': loopback,
            'the API of the daemon': { ...loopback, port: daemon.port },
            'an abstract socket': { path: abstract },
          }),
    },
    token: INDEX_TOKEN,
    paths: [ssh],
    processes: here.kind === 'podman' ? 0 : PROCESSES,
  }
  const kept = stack.move()
  return { home, daemon, targets, host, folder, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}

export async function writeConfig({ home }: Victim, name: string, text: string): Promise<void> {
  const path = join(home.env['HOME'] ?? '', name)
  await mkdir(join(path, '..'), { recursive: true })
  await writeFile(path, text, { mode: 0o644 })
}

/** Waits until a package could not be installed, and gives the reason. */
export async function failureOf({ daemon }: Victim, image: string): Promise<string> {
  await daemon.api.call('createWorkload', { body: { name: 'failing', image } })
  await untilStatus(daemon, 'failing', 'error')
  const { status_context: reason } = await daemon.api.call('getWorkload', { params: { name: 'failing' } })
  await daemon.api.call('deleteWorkload', { params: { name: 'failing' } })
  await untilGone(daemon, 'failing')
  return reason
}
