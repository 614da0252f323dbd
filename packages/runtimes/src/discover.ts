import { join } from 'node:path'
import { describeError, invalid, unavailable } from '@toolhaven/core/errors'
import type { Runtime } from '@toolhaven/core/ports/runtime'
import { currentDockerContext, dockerContextAddress, readTls } from './docker/docker-context.ts'
import { createDockerRuntime } from './docker/docker-runtime.ts'
import { createEngineClient, type EngineAddress } from './engine/engine-client.ts'
import { engineVersion } from './engine/engine-info.ts'
import { knownSockets, type HostPlaces } from './engine/known-sockets.ts'
import { parseEngineHost } from './engine/parse-engine-host.ts'
import type { IsolationPlaces } from './isolation/isolation-places.ts'
import type { PackageBuildOptions } from './packages/prepare-package.ts'
import { createPodmanRuntime } from './podman/podman-runtime.ts'

export interface DiscoverOptions extends HostPlaces {
  /**
   * The engine that stored workloads ran on. If nothing else answers, discovery waits for it: right after a reboot it
   * may not be up yet, and its workloads cannot run anywhere else.
   */
  remembered?: () => Promise<EngineIdentity | undefined>
  createProcessRuntime: () => Promise<Runtime>
  builds: PackageBuildOptions
  isolation: IsolationPlaces
}

export interface EngineIdentity {
  kind: 'docker' | 'podman'
  address: EngineAddress
}

export interface Discovery {
  runtime: Runtime
  /** The engine behind it, if it is one. */
  engine?: EngineIdentity
  /** Everything that was tried, in order, with the outcome. The last one is the runtime. */
  tried: { candidate: string; outcome: string }[]
}

const CHOICES = ['docker', 'podman', 'process'] as const
type Choice = (typeof CHOICES)[number]
const ANSWER_MS = 10_000

interface Candidate {
  label: string
  product: string
  /** Unknown for a configured address: either engine may listen there. */
  engine?: 'docker' | 'podman'
  address: () => Promise<EngineAddress>
}

/**
 * Finds the runtime: THV_RUNTIME, DOCKER_HOST, the Docker context, well-known sockets, then sandboxed processes. Throws
 * `invalid` for an unknown THV_RUNTIME, and `unavailable` when nothing works, with everything that was tried.
 */
export async function discoverRuntime(options: DiscoverOptions, signal: AbortSignal): Promise<Discovery> {
  const choice = readChoice(options.env['THV_RUNTIME'])
  const tried: Discovery['tried'] = []
  if (choice !== 'process') {
    for (const candidate of await candidates(options, choice)) {
      const found = await tryCandidate(options, candidate, choice, signal)
      tried.push({ candidate: candidate.label, outcome: found.outcome })
      if (found.runtime !== undefined) return { runtime: found.runtime, engine: found.engine, tried }
    }
  }
  const remembered = choice === undefined ? await options.remembered?.() : undefined
  if (remembered !== undefined) {
    tried.push({ candidate: `the ${remembered.kind} that runs the stored workloads`, outcome: 'does not answer yet' })
    return { runtime: engineRuntime(options, remembered), engine: remembered, tried }
  }
  if (choice === 'docker' || choice === 'podman') {
    throw unavailable(
      `THV_RUNTIME is ${choice}, but no such engine works here (${summary(tried)}). Start it, or unset THV_RUNTIME.`,
    )
  }
  const runtime = await options.createProcessRuntime()
  const health = await runtime.probe(signal)
  tried.push({
    candidate: 'process',
    outcome: health.state === 'healthy' ? `healthy: ${health.capabilities.sandbox}` : health.reason,
  })
  if (health.state === 'healthy') return { runtime, tried }
  await runtime[Symbol.asyncDispose]()
  const wish =
    choice === 'process' ? 'THV_RUNTIME is process, but it does not work here' : 'No way to run servers was found'
  throw unavailable(`${wish} (${summary(tried)}). Install Docker, Podman or bubblewrap.`)
}

/** Parses THV_RUNTIME and refuses any other value. */
export function readChoice(text: string | undefined): Choice | undefined {
  if (text === undefined || text === '') return undefined
  const choice = CHOICES.find((candidate) => candidate === text)
  if (choice === undefined)
    throw invalid(`THV_RUNTIME is ${JSON.stringify(text)}; set it to ${CHOICES.join(', ')}, or unset it.`)
  return choice
}

async function candidates(options: DiscoverOptions, choice: Choice | undefined): Promise<Candidate[]> {
  const { env } = options
  const written: Candidate[] = []
  const host = env['DOCKER_HOST']
  if (host !== undefined && host !== '')
    written.push({ label: 'DOCKER_HOST', product: 'Docker', address: () => addressOfHost(env, host) })
  const podmanHost = env['CONTAINER_HOST']
  if (choice === 'podman' && podmanHost !== undefined && podmanHost !== '') {
    written.unshift({
      label: 'CONTAINER_HOST',
      product: 'Podman',
      address: () => Promise.resolve(parseEngineHost(podmanHost)),
    })
  }
  const folder = dockerConfigFolder(options)
  const context = await currentDockerContext(folder, env['DOCKER_CONTEXT']).catch(() => undefined)
  if (context !== undefined) {
    written.push({
      label: `Docker context ${context}`,
      product: 'Docker',
      address: () => dockerContextAddress(folder, context),
    })
  }
  const known = knownSockets(options)
    .filter(({ engine }) => choice === undefined || engine === choice)
    .map(({ product, path, engine }): Candidate => ({
      label: `${product} at ${path}`,
      product,
      engine,
      address: () => Promise.resolve({ kind: 'unix', path }),
    }))
  return [...written, ...known]
}

async function addressOfHost(env: DiscoverOptions['env'], host: string): Promise<EngineAddress> {
  const certificates = env['DOCKER_CERT_PATH']
  const wantsTls = (env['DOCKER_TLS_VERIFY'] ?? '') !== '' && certificates !== undefined
  return parseEngineHost(host, wantsTls ? await readTls(certificates) : undefined)
}

async function tryCandidate(
  options: DiscoverOptions,
  candidate: Candidate,
  choice: Choice | undefined,
  signal: AbortSignal,
): Promise<{ runtime: Runtime; engine: EngineIdentity; outcome: string } | { runtime?: never; outcome: string }> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)])
  try {
    const address = await candidate.address()
    const { isPodman, version } = await engineVersion(createEngineClient(candidate.product, address), limit)
    const kind = isPodman ? 'podman' : 'docker'
    if (choice !== undefined && choice !== kind) return { outcome: `is ${isPodman ? 'Podman' : 'Docker'}` }
    const engine = { kind, address } as const
    return { runtime: engineRuntime(options, engine), engine, outcome: `healthy: ${kind} ${version}` }
  } catch (error) {
    signal.throwIfAborted()
    return { outcome: outcomeOf(error) }
  }
}

function engineRuntime(options: DiscoverOptions, { kind, address }: EngineIdentity): Runtime {
  const client = createEngineClient(kind === 'podman' ? 'Podman' : 'Docker', address)
  const create = kind === 'podman' ? createPodmanRuntime : createDockerRuntime
  const { builds, isolation } = options
  return create({ client, dockerConfigFolder: dockerConfigFolder(options), builds, isolation })
}

function outcomeOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  if (code === 'ENOENT') return 'not there'
  if (code === 'EACCES') return 'permission denied'
  return describeError(error)
}

function dockerConfigFolder({ env, homeDir }: DiscoverOptions): string {
  return env['DOCKER_CONFIG'] ?? join(homeDir, '.docker')
}

/** Leaves out sockets that are not there: they would hide the one that matters. */
function summary(tried: Discovery['tried']): string {
  const telling = tried.filter(({ outcome }) => outcome !== 'not there')
  return telling.length === 0
    ? 'no engine socket found'
    : telling.map(({ candidate, outcome }) => `${candidate}: ${outcome}`).join('; ')
}
