import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { unavailable } from '@toolhaven/core/errors'
import type { WayOut } from '@toolhaven/core/ports/egress'
import type { InstanceSpec } from '@toolhaven/core/ports/runtime'
import { z } from 'zod'
import { createAttendant, findAttendant, inwardPort } from './attendants.ts'
import { publishedAddress, stateOf, type Container } from './container-state.ts'
import type { EngineClient } from './engine-client.ts'
import { refusal } from './engine-fault.ts'
import { IN, OUT, VOLUME_USER } from './forwarder-image.ts'
import { INWARD_SOCKET, READY_FILE } from './sidecar.ts'
import { volumeMount, volumesOf } from './volumes.ts'

/** What the daemon must know to go through a door. The engine keeps all of it for later daemons. */
export interface Door {
  port: number
  token: string
  /** Sockets of the daemon that connections from inside lead to, in the order of the door's own. */
  outward: readonly string[]
  hasWayIn: boolean
}

/** The sockets where its ways out end, as JSON. */
const DOOR_OUTWARD = 'toolhaven-door-outward'
/** A port inside its own container. */
const INNER_PORT = 7000
const TOKEN = 'TOKEN='

/**
 * Creates the container through which the daemon reaches sockets in volumes. It alone has a network, and opens no
 * connection in it.
 */
export async function createDoor(
  client: EngineClient,
  { spec, out, image }: { spec: InstanceSpec; out: WayOut | undefined; image: string },
  signal: AbortSignal,
): Promise<void> {
  const sockets = out === undefined ? [] : [out.proxy, out.direct, out.names]
  const volumes = volumesOf(spec.name)
  const port = `${INNER_PORT}/tcp`
  const outward = sockets.map((socket) => join(out?.folder ?? '', socket))
  const wayIn = spec.targetPort === undefined ? [] : ['-w', INWARD_SOCKET]
  const body = {
    image,
    args: [
      ...['-g', String(INNER_PORT), '-r', READY_FILE, ...wayIn],
      ...sockets.flatMap((socket) => ['-o', `${OUT}/${socket}`]),
    ],
    form: 'volumes',
    user: `${VOLUME_USER}:${VOLUME_USER}`,
    labels: { [DOOR_OUTWARD]: JSON.stringify(outward) },
    // Anyone who may ask the engine for it may do anything with the workload anyway.
    body: { Env: [`${TOKEN}${randomBytes(32).toString('hex')}`], ExposedPorts: { [port]: {} } },
    hostConfig: {
      NetworkMode: 'bridge',
      PortBindings: { [port]: [{ HostIp: '127.0.0.1', HostPort: '' }] },
      Mounts: [volumeMount(volumes.out, OUT, false), volumeMount(volumes.in, IN, true)],
    },
  } as const
  await createAttendant(client, 'door', spec, body, signal)
}

export async function startDoor(client: EngineClient, instance: string, signal: AbortSignal): Promise<Door> {
  const found = await findAttendant(client, 'door', instance, signal)
  if (found !== undefined && stateOf(found.State.Status) !== 'running') {
    await client.send({ method: 'POST', path: `/containers/${found.Id}/start` }, signal).catch((error: unknown) => {
      throw refusal(`start the door of ${instance}`, error)
    })
  }
  const door = await findDoor(client, instance, signal)
  if (door === undefined)
    throw unavailable(`The door to the network of ${instance} is not open. Look at its log and restart the workload.`)
  return door
}

/** Undefined where it does not run. */
export async function findDoor(client: EngineClient, instance: string, signal: AbortSignal): Promise<Door | undefined> {
  const found = await findAttendant(client, 'door', instance, signal)
  return found !== undefined && stateOf(found.State.Status) === 'running' ? readDoor(found) : undefined
}

const outwardSchema = z.array(z.string())

function readDoor(container: Container): Door | undefined {
  const { Env: env, Labels: labels } = container.Config
  const token = env?.find((variable) => variable.startsWith(TOKEN))?.slice(TOKEN.length)
  const address = publishedAddress(container)
  if (token === undefined || address === undefined) return undefined
  const outward = outwardSchema.parse(JSON.parse(labels?.[DOOR_OUTWARD] ?? '[]'))
  return { port: address.port, token, outward, hasWayIn: inwardPort(container) !== undefined }
}
