import {
  type InstallAccess,
  type InstallNetwork,
  type InstallStep,
  type InstanceHandle,
  type InstanceSpec,
  LABELS,
  type RuntimeName,
} from '@toolhaven/core/ports/runtime'
import { attachToInstance } from '../engine/attach-to-instance.ts'
import { containerLogs } from '../engine/container-logs.ts'
import type { Hardening } from '../engine/container-body.ts'
import { containerNetwork } from '../engine/container-network.ts'
import type { ContainerNetwork } from '../engine/network-of-container.ts'
import { createContainer, inspectContainer, killContainer, waitContainer } from '../engine/containers.ts'
import type { EngineClient } from '../engine/engine-client.ts'
import { refusal } from '../engine/engine-fault.ts'
import { type InstanceDeps, startInstance } from '../engine/forwarded-instance.ts'
import type { FindForwarderImage } from '../engine/forwarder-image.ts'
import type { Forwarding } from '../engine/forwarding.ts'
import { userFiles } from '../engine/package-user.ts'
import { openStdioChannel } from '../engine/stdio-channel.ts'
import { INSTALL_LIMITS, INSTALL_MINUTES } from '../install-rules.ts'
import type { IsolationPlaces } from '../isolation/isolation-places.ts'
import { type FetchInput, fetchText, readingInput } from './fetch-input.ts'
import { tar } from './tar.ts'
import { BUILD_LABEL, CONFIG_FOLDER, type Step } from './template.ts'

export interface StepDeps {
  client: EngineClient
  runtime: RuntimeName
  instances: InstanceDeps
  isolation: IsolationPlaces
  forwarderImage: FindForwarderImage
  forwarding: Forwarding
  hasInit: boolean
  limitsProcesses: boolean
  /** The user of servers from packages, and of the steps. */
  packageUser: string
  hiddenPaths: Hardening['hiddenPaths']
}

export interface StepRun {
  step: InstallStep
  program: Step
  /** The image that it starts from. */
  image: string
  /** Name of the container. */
  name: string
  owner: string
  access: InstallAccess | undefined
  /** Package indexes that may be reached, and for a fetch the user's proxies, as `host:port`. */
  places: readonly string[]
  env: Readonly<Record<string, string>>
  /** For a fetch. */
  input?: FetchInput
}

export interface StepResult {
  exitCode: number
  output: string
  /** The file system that the step left, as an image. */
  image: string
  /** Hosts that were requested and refused. */
  refused: readonly string[]
}

/**
 * Runs a step in the same way as any server from a package: as the same user, without capabilities, under our filter,
 * behind a gate.
 */
export async function runStep(deps: StepDeps, run: StepRun, signal: AbortSignal): Promise<StepResult> {
  const { client, instances } = deps
  const { input } = run
  await using network = await openNetwork(deps, run)
  const handle = await createStep(deps, run, network, signal)
  if (input !== undefined) await giveFiles(deps, handle, input, signal)
  const channel = input && openStdioChannel(...(await attached(instances, handle, signal)))
  const kill = () =>
    void killContainer(client, handle.id, 'SIGKILL', AbortSignal.timeout(10_000)).catch(() => undefined)
  const timer = setTimeout(kill, INSTALL_MINUTES * 60_000)
  try {
    await startInstance(instances, handle, signal)
    if (input !== undefined) await channel?.write(fetchText(input, network !== undefined))
    return { ...(await ended(client, handle, signal)), refused: network?.refused() ?? [] }
  } finally {
    clearTimeout(timer)
    channel?.close()
  }
}

/** Undefined where no gate can be reached. */
async function openNetwork(
  { forwarding, isolation }: StepDeps,
  { step, access, places }: StepRun,
): Promise<InstallNetwork | undefined> {
  const lack = 'reason' in forwarding ? forwarding.reason : await isolation.lack()
  if (lack === undefined) return access?.open(step, places)
  if (step === 'fetch') access?.unguarded(lack)
  return undefined
}

async function createStep(
  deps: StepDeps,
  run: StepRun,
  network: InstallNetwork | undefined,
  signal: AbortSignal,
): Promise<InstanceHandle> {
  const { client, runtime, isolation, forwarding, hasInit, packageUser: user, hiddenPaths } = deps
  const [entrypoint = '', ...args] =
    run.input === undefined ? run.program.command : readingInput(run.input, run.program)
  const spec = specOf(run, [entrypoint, ...args], network?.way ?? 'none')
  const image = { command: { entrypoint: [], args: [] }, exposed: [] }
  const makeNetwork = async (): Promise<ContainerNetwork> => {
    const isOrdinary = run.step === 'fetch' && network === undefined
    const made: ContainerNetwork = isOrdinary
      ? { mode: 'bridge', env: {}, mounts: [] }
      : await containerNetwork({ ...deps, image }, spec, signal)
    const sharesFiles = 'form' in forwarding && forwarding.form === 'folders'
    const files = sharesFiles ? await userFiles(isolation.socketDir, user, []) : []
    return { command: { entrypoint: [entrypoint], args }, ...made, mounts: [...made.mounts, ...files] }
  }
  const inMemory = { [CONFIG_FOLDER]: 'rw,noexec,nosuid,nodev,size=1m,mode=1777' }
  const hardening = { init: hasInit, readOnlyRoot: false, user, hiddenPaths, ...(run.input && { inMemory }) }
  return createContainer(client, runtime, spec, { hardening, makeNetwork }, signal)
}

function specOf(
  { image, name, owner, program, env, input }: StepRun,
  args: readonly string[],
  network: InstanceSpec['network'],
): InstanceSpec {
  return {
    name,
    labels: { [LABELS.marker]: 'true', [LABELS.instance]: owner, [BUILD_LABEL]: owner },
    prepared: { id: image },
    source: { kind: 'image', reference: image },
    args,
    env: { ...program.env, ...env },
    mounts: [],
    network,
    stdio: input !== undefined,
    limits: INSTALL_LIMITS,
  }
}

async function giveFiles(
  { client, packageUser }: StepDeps,
  { id }: InstanceHandle,
  { files }: FetchInput,
  signal: AbortSignal,
): Promise<void> {
  const placed = Object.fromEntries(Object.entries(files).map(([file, text]) => [`build/${file}`, text]))
  const owner = Number(packageUser.split(':')[0])
  const own = ['app', 'build'].map((folder) => ({ name: folder, owner, mode: 0o755 }))
  const body = tar(placed, 0o644, own)
  await client
    .send({ method: 'PUT', path: `/containers/${id}/archive`, query: { path: '/' }, body }, signal)
    .catch((error: unknown) => {
      throw refusal(`put files into ${id}`, error)
    })
}

async function attached(...[instances, handle, signal]: Parameters<typeof attachToInstance>) {
  const { socket, head } = await attachToInstance(instances, handle, signal)
  return [socket, head] as const
}

const MOST_LINES = 500
const REPOSITORY = 'toolhaven.local/'

/** Waits for the end of a step's container and keeps its files as an image with the same name. */
async function ended(
  client: EngineClient,
  handle: InstanceHandle,
  signal: AbortSignal,
): Promise<Omit<StepResult, 'refused'>> {
  await waitContainer(client, handle.id, 'not-running', signal)
  const container = await inspectContainer(client, handle.id, signal)
  const chunks: Uint8Array[] = []
  for await (const { data } of containerLogs(client, handle, { tail: MOST_LINES }, signal)) chunks.push(data)
  const repo = `${REPOSITORY}${handle.name}`
  const query = { container: handle.id, repo, tag: 'latest', pause: false }
  // Podman needs a configuration. An empty one changes nothing.
  await client.send({ method: 'POST', path: '/commit', query, body: {} }, signal).catch((error: unknown) => {
    throw refusal(`keep the files of ${handle.name}`, error)
  })
  return {
    exitCode: container?.State.ExitCode ?? 1,
    output: Buffer.concat(chunks).toString(),
    image: `${repo}:latest`,
  }
}
