import type { Backend } from '@toolhaven/core/ports/gateway'
import { unavailable } from '@toolhaven/core/errors'
import type { BackendLink } from './backends/backend.ts'
import { connectHttp } from './backends/http.ts'
import { connectStdio } from './backends/stdio.ts'
import type { GatewayLimits, GatewayOptions } from './options.ts'
import type { SessionTable } from './sessions/session-table.ts'

export interface ConnectContext {
  name: string
  limits: GatewayLimits
  options: GatewayOptions
  sessions: SessionTable
  /** The connected server is lost. Never called before `connect` resolved. */
  onLost: (link: BackendLink, reason: string) => void
}

/** Makes a working link to a server, whatever its kind. */
export async function connect(context: ConnectContext, backend: Backend, signal: AbortSignal): Promise<BackendLink> {
  const state: { link?: BackendLink; lost?: string } = {}
  const onLost = (reason: string) => {
    state.lost = reason
    if (state.link !== undefined) context.onLost(state.link, reason)
  }
  const link =
    backend.kind === 'stdio'
      ? await stdio(context, backend, onLost, signal)
      : await http(context, backend, onLost, signal)
  if (state.lost !== undefined)
    throw unavailable(`The server ${context.name} was lost right after it started: ${state.lost}.`)
  state.link = link
  return link
}

async function stdio(
  context: ConnectContext,
  backend: Extract<Backend, { kind: 'stdio' }>,
  onLost: (reason: string) => void,
  signal: AbortSignal,
) {
  const { name, limits, options, sessions } = context
  const { processId, channel, start } = backend
  const known = sessions.handshake?.processId === processId ? sessions.handshake.result : undefined
  const link = await connectStdio(
    {
      name,
      channel,
      start,
      knownResult: known,
      sessions: () => sessions.all(),
      limits,
      logger: options.logger,
      onOutput: (stream, text) => options.events.onOutput(name, stream, text),
      onLost,
    },
    signal,
  )
  sessions.handshake = { processId, result: link.result }
  return link
}

function http(
  context: ConnectContext,
  backend: Extract<Backend, { kind: 'http' }>,
  onLost: (reason: string) => void,
  signal: AbortSignal,
) {
  const { name, limits, sessions } = context
  return connectHttp({ name, backend, limits, onStored: () => sessions.changed(), onLost }, signal)
}
