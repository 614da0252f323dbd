import { join } from 'node:path'
import type { Logger } from '@toolhaven/core/ports/logger'
import type { RenderRecipe } from '@toolhaven/core/ports/recipes'
import { type Discovery, discoverRuntime } from '@toolhaven/runtimes/discover'
import { forwarderFinder, forwarderLack } from '@toolhaven/runtimes/isolation/forwarder-program'
import type { IsolationPlaces } from '@toolhaven/runtimes/isolation/isolation-places'
import { socatFinder } from '@toolhaven/runtimes/isolation/socat'
import { createIndexKey } from '@toolhaven/runtimes/package-index/index-key'
import type { BaseImages } from '@toolhaven/runtimes/packages/package-image'
import type { PackageBuildOptions } from '@toolhaven/runtimes/packages/prepare-package'
import { recipeRenderer } from '@toolhaven/runtimes/packages/recipe-renderer'
import { readUserConfig } from '@toolhaven/runtimes/packages/user-config'
import { createProcessRuntime } from '@toolhaven/runtimes/process/process-runtime'
import type { ToolhavenPaths } from '@toolhaven/stores/files/paths'
import { forwarderFolder } from './forwarder-folder.ts'
import { recallEngine, rememberEngine } from './remembered-engine.ts'
import type { ServeSettings } from './serve-settings.ts'

export interface ChooseRuntimeOptions {
  settings: ServeSettings
  paths: ToolhavenPaths
  logger: Logger
  baseImages: () => BaseImages
  hasStoredWorkloads: () => Promise<boolean>
}

interface Chosen extends Discovery {
  renderRecipe: RenderRecipe
}

/** Finds the engine of this machine, otherwise the process sandbox, with what its package builds and fetches need. */
export async function chooseRuntime(options: ChooseRuntimeOptions, signal: AbortSignal): Promise<Chosen> {
  const { settings, paths, logger } = options
  const { env, homeDir, platform, uid, nodePath, allowUnsandboxed } = settings
  const isolation = isolationOf(options)
  const builds = buildOptions(options)
  const createSandbox = async () =>
    createProcessRuntime({ dataDir: paths.dataDir, nodePath, env, homeDir, allowUnsandboxed, isolation, logger })
  const remembered = async () => ((await options.hasStoredWorkloads()) ? recallEngine(paths.stateDir) : undefined)
  const places = { env, homeDir, platform, uid, remembered }
  const found = await discoverRuntime({ ...places, createProcessRuntime: createSandbox, builds, isolation }, signal)
  await rememberEngine(paths.stateDir, found.engine)
  return { ...found, renderRecipe: recipeRenderer(builds) }
}

function isolationOf({ settings: { env }, paths }: ChooseRuntimeOptions): IsolationPlaces {
  const forwarder = { sourceDir: forwarderFolder(), dataDir: paths.dataDir, env }
  return {
    socketDir: join(paths.runtimeDir, 'i'),
    forwarder: forwarderFinder(forwarder),
    lack: () => forwarderLack(forwarder),
    socat: socatFinder(env),
  }
}

function buildOptions({ settings, baseImages }: ChooseRuntimeOptions): PackageBuildOptions {
  const { env, homeDir, nodePath } = settings
  return {
    get baseImages() {
      return baseImages()
    },
    proxies: pick(env, PROXY_VARIABLES),
    userConfig: (scheme, signal) => readUserConfig({ nodePath, env, homeDir }, scheme, signal),
    indexKey: createIndexKey({ nodePath, env, homeDir }),
  }
}

const PROXY_VARIABLES = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy'] as const

function pick(env: ServeSettings['env'], names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])))
}
