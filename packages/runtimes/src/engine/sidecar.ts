import { readFile, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { unavailable } from '@toolhaven/core/errors'
import type { WayOut } from '@toolhaven/core/ports/egress'
import { LABELS, type InstanceSpec } from '@toolhaven/core/ports/runtime'
import { z } from 'zod'
import type { ForwarderProgram } from '../isolation/forwarder-program.ts'
import type { IsolationPlaces } from '../isolation/isolation-places.ts'
import type { SocketFolder } from '../isolation/socket-folder.ts'
import { forwarderWays, waysOf } from '../isolation/ways.ts'
import { tar } from '../packages/tar.ts'
import { findContainer, inspectContainer } from './containers.ts'
import { stateOf, type Container } from './container-state.ts'
import type { EngineClient } from './engine-client.ts'
import { refusal } from './engine-fault.ts'
import { inspectImage } from './images.ts'

/** Names the instance that a sidecar belongs to. */
const SIDECAR_OF = 'toolhaven-sidecar-of'
/** The port that its way in leads to. */
export const SIDECAR_PORT = 'toolhaven-sidecar-port'

/** Another beginning than that of instances, so that no workload can be called like it. */
const sidecarName = (instance: string) => `thvnet-${instance}`

/** Whose sidecar this is. The name counts too: an image can bring any label along. */
export function sidecarOwner(name: string, labels: Readonly<Record<string, string>> | null | undefined) {
  const owner = labels?.[SIDECAR_OF]
  return owner !== undefined && name.replace(/^\//, '') === sidecarName(owner) ? owner : undefined
}

export interface SidecarOptions extends Pick<IsolationPlaces, 'forwarder'> {
  spec: InstanceSpec
  out: WayOut | undefined
  place: SocketFolder
  user: string
}

const createdSchema = z.looseObject({ Id: z.string() })
const OUT = '/o'
const IN = '/i'

/** Creates the container that owns the network namespace; it alone sees the sockets. Gives its id. */
export async function createSidecar(
  client: EngineClient,
  { spec, out, place, user, forwarder }: SidecarOptions,
  signal: AbortSignal,
): Promise<string> {
  const image = await sidecarImage(client, await forwarder(signal), signal)
  const name = sidecarName(spec.name)
  const wayIn = spec.targetPort === undefined ? undefined : { socketPath: `${IN}/h`, port: spec.targetPort }
  const owner = spec.labels[LABELS.instance]
  const body = {
    Image: image,
    Entrypoint: ['/forwarder'],
    Cmd: ['-r', `${IN}/r`, ...forwarderWays(waysOf(out, OUT, wayIn))],
    Hostname: 'sandbox',
    User: user,
    Labels: {
      ...{ [LABELS.marker]: 'true', [SIDECAR_OF]: spec.name },
      ...(owner && { [LABELS.instance]: owner }),
      ...(wayIn && { [SIDECAR_PORT]: String(wayIn.port) }),
    },
    HostConfig: hostConfig(out, place),
  }
  const call = { method: 'POST', path: '/containers/create', query: { name }, body } as const
  const { Id: id } = await client.json(createdSchema, call, signal).catch((error: unknown) => {
    throw refusal(`create ${name}`, error)
  })
  return id
}

function hostConfig(out: WayOut | undefined, place: SocketFolder): Record<string, unknown> {
  const memory = 32 << 20
  const bind = (source: string, target: string, isReadOnly: boolean) => ({
    ...{ Type: 'bind', Source: source, Target: target, ReadOnly: isReadOnly },
    BindOptions: { Propagation: 'rprivate' },
  })
  return {
    NetworkMode: 'none',
    CapDrop: ['ALL'],
    SecurityOpt: ['no-new-privileges'],
    ReadonlyRootfs: true,
    PidsLimit: 8,
    ...{ Memory: memory, MemorySwap: memory },
    Ulimits: [{ Name: 'nofile', Soft: 2048, Hard: 2048 }],
    // It listens on 443 for names that programs reach without a proxy.
    Sysctls: { 'net.ipv4.ip_unprivileged_port_start': '0' },
    RestartPolicy: { Name: 'no' },
    LogConfig: { Type: 'json-file', Config: { 'max-size': '1m', 'max-file': '1' } },
    Mounts: [...(out === undefined ? [] : [bind(out.folder, OUT, true)]), bind(place.folder, IN, false)],
  }
}

const READY_MS = 20_000

/** Starts it, unless it runs, and waits until it listens: joined before that, a workload could take its ports. */
export async function startSidecar(
  client: EngineClient,
  instance: string,
  place: SocketFolder,
  signal: AbortSignal,
): Promise<void> {
  const sidecar = await findSidecar(client, instance, signal)
  if (sidecar === undefined) throw unavailable(`The network of ${instance} is gone; restart the workload.`)
  const path = `/containers/${sidecar.Id}/start`
  if (stateOf(sidecar.State.Status) !== 'running') {
    await client.send({ method: 'POST', path }, signal).catch((error: unknown) => {
      throw refusal(`start the network of ${instance}`, error)
    })
  }
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(READY_MS)])
  for (let tries = 1; !(await exists(place.readyFile)); tries += 1) {
    if (tries % 20 === 0) await refuseEnded(client, sidecar.Id, instance, signal)
    if (deadline.aborted) throw unavailable(`The network of ${instance} did not come up in time; restart the workload.`)
    await delay(5)
  }
}

async function refuseEnded(client: EngineClient, id: string, instance: string, signal: AbortSignal): Promise<void> {
  const state = (await inspectContainer(client, id, signal))?.State
  if (state !== undefined && stateOf(state.Status) !== 'exited') return
  const what = state === undefined ? 'was removed' : `ended with code ${state.ExitCode}`
  throw unavailable(`The network of ${instance} did not come up: its forwarder ${what}; restart the workload.`)
}

export async function findSidecar(
  client: EngineClient,
  instance: string,
  signal: AbortSignal,
): Promise<Container | undefined> {
  const found = await findContainer(client, sidecarName(instance), signal)
  return found?.Config.Labels?.[SIDECAR_OF] === instance ? found : undefined
}

/** An image with the forwarder in it and nothing else; made once for each build of it. */
async function sidecarImage(
  client: EngineClient,
  { folder, program }: ForwarderProgram,
  signal: AbortSignal,
): Promise<string> {
  // In the name, not the tag: Podman leaves the tag of an import out.
  const repo = `localhost/toolhaven-forwarder-${basename(folder)}`
  const known = await inspectImage(client, `${repo}:latest`, signal)
  if (known !== undefined) return known.id
  const body = tar({ forwarder: await readFile(program) }, 0o755)
  const call = { method: 'POST', path: '/images/create', query: { fromSrc: '-', repo, tag: 'latest' }, body } as const
  await client.send(call, signal).catch((error: unknown) => {
    throw refusal('take the image of the forwarder', error)
  })
  const made = await inspectImage(client, `${repo}:latest`, signal)
  if (made === undefined)
    throw unavailable(`${client.label} did not keep the image of the forwarder; look at its own log.`)
  return made.id
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined
}
