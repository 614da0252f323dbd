import { z } from 'zod'
import type { InstanceAddress, InstanceState } from '@toolhaven/core/ports/runtime'

/** The label with the port of a server that shares the machine's network. */
export const HOST_PORT = 'toolhaven-host-port'

export const containerSchema = z.looseObject({
  Id: z.string(),
  Name: z.string(),
  State: z.looseObject({
    Status: z.string(),
    Pid: z.number().optional(),
    ExitCode: z.number(),
    OOMKilled: z.boolean().optional(),
    StartedAt: z.string(),
    FinishedAt: z.string(),
  }),
  Config: z.looseObject({
    Labels: z.record(z.string(), z.string()).nullish(),
    OpenStdin: z.boolean().optional(),
    Env: z.array(z.string()).nullish(),
  }),
  HostConfig: z.looseObject({ NetworkMode: z.string().nullish() }).nullish(),
  NetworkSettings: z.looseObject({
    Ports: z
      .record(z.string(), z.array(z.looseObject({ HostIp: z.string(), HostPort: z.string() })).nullish())
      .nullish(),
  }),
})
export type Container = z.infer<typeof containerSchema>

export function containerState(container: Container): InstanceState {
  const { State: state } = container
  const kind = stateOf(state.Status)
  if (kind === 'created') return { state: 'created' }
  if (kind === 'running') {
    const address = hostAddress(container)
    return { state: 'running', startedAt: state.StartedAt, ...(address === undefined ? {} : { address }) }
  }
  return {
    state: 'exited',
    exitCode: state.ExitCode,
    finishedAt: state.FinishedAt,
    oomKilled: state.OOMKilled ?? false,
  }
}

/** It lives in the network of its sidecar. */
export function isForwarded({ HostConfig }: Container): boolean {
  return HostConfig?.NetworkMode?.startsWith('container:') ?? false
}

/** Docker and Podman have a dozen words for these three. A stopping or paused container still has its process. */
export function stateOf(status: string): 'created' | 'running' | 'exited' {
  const word = status.toLowerCase()
  if (word === 'created' || word === 'configured' || word === 'initialized') return 'created'
  if (['running', 'paused', 'restarting', 'stopping'].includes(word)) return 'running'
  return 'exited'
}

/**
 * For a server on the network of this machine: an ordinary port of its loopback, which other local users can reach too.
 */
function hostAddress(container: Container): InstanceAddress | undefined {
  const port = hostPort(container)
  return port === undefined ? undefined : { host: '127.0.0.1', port }
}

export function hostPort({ HostConfig, Config }: Container): number | undefined {
  const port = Number(Config.Labels?.[HOST_PORT])
  return HostConfig?.NetworkMode === 'host' && port > 0 ? port : undefined
}

/** For a door: nothing else has a published port. */
export function publishedAddress(container: Container): { host: string; port: number } | undefined {
  const [binding] = Object.values(container.NetworkSettings.Ports ?? {}).flatMap((bindings) => bindings ?? [])
  const port = Number(binding?.HostPort)
  return binding === undefined || !Number.isInteger(port) || port === 0
    ? undefined
    : { host: binding.HostIp || '127.0.0.1', port }
}
