import { LABELS, type InstanceSpec } from '@toolhaven/core/ports/runtime'
import { z } from 'zod'
import type { Container } from './container-state.ts'
import { findContainer } from './containers.ts'
import type { EngineClient } from './engine-client.ts'
import { refusal } from './engine-fault.ts'

/**
 * Containers that serve another one: the sidecar holds its network, and the door leads to a sidecar whose sockets are
 * not on this machine.
 */
export type AttendantKind = 'sidecar' | 'door'

/** Names the instance that it belongs to. */
const SIDECAR_OF = 'toolhaven-sidecar-of'
/** The port of the server that the way in leads to. */
const SIDECAR_PORT = 'toolhaven-sidecar-port'
/** Set where its sockets are in volumes. */
const SIDECAR_FORM = 'toolhaven-sidecar-form'

/** They differ from the prefix of instances, so that no workload can have such a name. */
const BEGINNINGS = { sidecar: 'thvnet-', door: 'thvdoor-' } as const satisfies Record<AttendantKind, string>

/** The instance that this attendant belongs to. The name counts too, because an image can contain any label. */
export function ownerOf(name: string, labels: Readonly<Record<string, string>> | null | undefined): string | undefined {
  const owner = labels?.[SIDECAR_OF]
  const names = Object.values(BEGINNINGS).map((beginning) => `${beginning}${owner}`)
  return owner !== undefined && names.includes(name.replace(/^\//, '')) ? owner : undefined
}

export async function findAttendant(
  client: EngineClient,
  kind: AttendantKind,
  instance: string,
  signal: AbortSignal,
): Promise<Container | undefined> {
  const found = await findContainer(client, `${BEGINNINGS[kind]}${instance}`, signal)
  return found?.Config.Labels?.[SIDECAR_OF] === instance ? found : undefined
}

export const usesVolumes = ({ Config }: Container) => Config.Labels?.[SIDECAR_FORM] === 'volumes'

/** The port of the way in. Undefined where there is none. */
export function inwardPort({ Config }: Container): number | undefined {
  const port = Number(Config.Labels?.[SIDECAR_PORT])
  return port > 0 ? port : undefined
}

export interface AttendantBody {
  image: string
  args: readonly string[]
  user: string
  form: 'folders' | 'volumes'
  labels?: Readonly<Record<string, string>>
  /** The rest of the create call. */
  body?: Readonly<Record<string, unknown>>
  hostConfig: Readonly<Record<string, unknown>>
}

const createdSchema = z.looseObject({ Id: z.string() })
/**
 * The forwarder itself needs less than one MiB. With control groups of version 2, the kernel's buffers of its
 * connections count too.
 */
const MEMORY = 128 << 20

/** Creates a container that runs the forwarder, with no rights but those that `hostConfig` adds. Returns its id. */
export async function createAttendant(
  client: EngineClient,
  kind: AttendantKind,
  { name: instance, labels: theirs, targetPort }: InstanceSpec,
  { image, args, user, form, labels, body, hostConfig }: AttendantBody,
  signal: AbortSignal,
): Promise<string> {
  const name = `${BEGINNINGS[kind]}${instance}`
  const owner = theirs[LABELS.instance]
  const whole = {
    Image: image,
    Entrypoint: ['/forwarder'],
    Cmd: args,
    User: user,
    Labels: {
      ...{ [LABELS.marker]: 'true', [SIDECAR_OF]: instance },
      ...(owner && { [LABELS.instance]: owner }),
      ...(targetPort !== undefined && { [SIDECAR_PORT]: String(targetPort) }),
      ...(form === 'volumes' && { [SIDECAR_FORM]: form }),
      ...labels,
    },
    ...body,
    HostConfig: { ...CONFINED, ...hostConfig },
  }
  const call = { method: 'POST', path: '/containers/create', query: { name }, body: whole } as const
  const { Id: id } = await client.json(createdSchema, call, signal).catch((error: unknown) => {
    throw refusal(`create ${name}`, error)
  })
  return id
}

const CONFINED = {
  CapDrop: ['ALL'],
  SecurityOpt: ['no-new-privileges'],
  ReadonlyRootfs: true,
  PidsLimit: 8,
  ...{ Memory: MEMORY, MemorySwap: MEMORY },
  Ulimits: [{ Name: 'nofile', Soft: 2048, Hard: 2048 }],
  RestartPolicy: { Name: 'no' },
  LogConfig: { Type: 'json-file', Config: { 'max-size': '1m', 'max-file': '1' } },
}
