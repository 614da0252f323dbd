import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'vitest'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { sample } from '@toolhaven/testing/rotation'
import { rotationInside } from '@toolhaven/testing/turns'
import { type BaseImage, buildBaseImages } from '@toolhaven/testing/testbed/base-images'
import { startDocker } from '@toolhaven/testing/testbed/docker'
import type { Engine } from '@toolhaven/testing/testbed/engine'
import { startPackageRegistry } from '@toolhaven/testing/testbed/package-registry'
import { startRootlessPodman } from '@toolhaven/testing/testbed/rootless-podman'
import { Unavailable } from '@toolhaven/testing/testbed/unavailable'
import { FIXTURE_IMAGE, buildFixtureImage } from './fixture-image.ts'
import { FIXTURE_PACKAGE, writeFixturePackage } from './fixture-package.ts'
import { type Home, makeHome } from './home.ts'
import type { User } from './user.ts'
import { removeContainers } from './instances.ts'

export type PlatformKind = 'docker' | 'podman' | 'process'

const ENGINES: readonly PlatformKind[] = ['docker', 'podman']
export const PLATFORMS: readonly PlatformKind[] = ['process', ...ENGINES]

/** The container engines take turns. A full run takes both. */
export const enginesInTurn = (): readonly PlatformKind[] => sample(ENGINES, 1)
/** One of the three, or all in a full run. `file` is the test's own file, which may take turns itself. */
export const platformsInTurn = (file: string): readonly PlatformKind[] => sample(PLATFORMS, 1, rotationInside(file))

/** Where workloads run in a test: a private engine, or no engine at all. */
export interface Platform extends AsyncDisposable {
  kind: PlatformKind
  engine?: Engine
  /** The value of a workload's `image` that runs the fixture MCP server. */
  fixture: string
  /** The same server as another package. On an engine it is the same image. */
  otherFixture: string
  /** The port of the package registry, where packages come from one. */
  packagePort?: number
  /** A fresh home whose daemon finds this platform automatically, as on a user's machine. */
  makeHome: (env?: Readonly<Record<string, string>>) => Promise<Home>
}

/**
 * One platform for all tests of a file or group. A test that uses it is skipped, with the reason, where the platform is
 * not available.
 */
export function usePlatform(
  kind: PlatformKind,
  { isShared = false, baseImages = [] }: { isShared?: boolean; baseImages?: readonly BaseImage[] } = {},
): (context: TestContext) => Platform {
  let platform: Platform | Unavailable | undefined
  beforeAll(async () => {
    platform = await OPEN[kind]().catch((error: unknown) => {
      if (error instanceof Unavailable) return error
      throw error
    })
    // Here and not in a test, because a fresh engine is slow at it.
    if (!(platform instanceof Unavailable) && platform.engine) await buildBaseImages(platform.engine, baseImages)
  })
  // What a failed test left behind must not fail the next one. Tests that run in parallel would end one another's
  // containers.
  afterEach(async () => {
    if (!isShared && platform && !(platform instanceof Unavailable) && platform.engine)
      await removeContainers(platform.engine)
  })
  afterAll(async () => {
    if (platform && !(platform instanceof Unavailable)) await platform[Symbol.asyncDispose]()
  })
  return (context) => {
    if (platform instanceof Unavailable) return context.skip(platform.message)
    if (!platform) throw new Error('the platform was not opened')
    return platform
  }
}

const OPEN: Record<PlatformKind, () => Promise<Platform>> = {
  docker: async () => openEngine(await startDocker()),
  podman: async () => openEngine(await startRootlessPodman()),
  process: openProcess,
}

async function openEngine(engine: Engine): Promise<Platform> {
  try {
    await buildFixtureImage(engine)
    const owner = await ownerOf(engine)
    const env = { DOCKER_HOST: `unix://${engine.socketPath}` }
    return {
      kind: engine.kind,
      engine,
      fixture: FIXTURE_IMAGE,
      otherFixture: FIXTURE_IMAGE,
      makeHome: (extra = {}) => makeHome({ env: { ...env, ...extra }, user: owner }),
      [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose](),
    }
  } catch (error) {
    await engine[Symbol.asyncDispose]()
    throw error
  }
}

/** A rootless engine belongs to an ordinary user, and so does the daemon beside it. */
async function ownerOf(engine: Engine): Promise<User | undefined> {
  const { uid, gid } = await stat(engine.socketPath)
  return engine.kind === 'podman' ? { uid, gid } : undefined
}

async function openProcess(): Promise<Platform> {
  const folder = await mkdtemp(join(tmpdir(), 'thv-e2e-package-'))
  const names = [FIXTURE_PACKAGE, `${FIXTURE_PACKAGE}-too`]
  for (const name of names) await writeFixturePackage(join(folder, name), name)
  const registry = await startPackageRegistry(names.map((name) => join(folder, name)))
  return {
    kind: 'process',
    fixture: `npx://${FIXTURE_PACKAGE}@1.0.0`,
    otherFixture: `npx://${FIXTURE_PACKAGE}-too@1.0.0`,
    packagePort: registry.port,
    makeHome: (extra = {}) =>
      makeHome({ env: { THV_RUNTIME: 'process', npm_config_registry: registry.url, ...extra } }),
    async [Symbol.asyncDispose]() {
      await registry[Symbol.asyncDispose]()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
