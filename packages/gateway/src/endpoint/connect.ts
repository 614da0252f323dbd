import type { AutoBackend, Backend, IsolatedBackend, StdioServer } from '@toolhaven/core/ports/gateway'
import { describeError, unavailable } from '@toolhaven/core/errors'
import { EndedEarly } from '@toolhaven/core/workloads/ended-early'
import type { BackendLink } from '../servers/backend.ts'
import { connectStdio } from '../servers/stdio/connect-stdio.ts'
import type { GatewayLimits, GatewayOptions } from './options.ts'
import type { SessionTable } from '../sessions/session-table.ts'
import type { ToolWatch } from '../tools/tool-watch.ts'

export interface ConnectContext {
  name: string
  limits: GatewayLimits
  options: GatewayOptions
  sessions: SessionTable
  /** The connected server is lost. Never called before `connect` has resolved. */
  onLost: (link: BackendLink, reason: string) => void
  /** Learns what tools the server has. */
  tools?: ToolWatch | undefined
}

/** Makes a working link to a server of any kind. */
export async function connect(context: ConnectContext, backend: Backend, signal: AbortSignal): Promise<BackendLink> {
  const state: { link?: BackendLink; lost?: string } = {}
  const onLost = (reason: string) => {
    state.lost = reason
    if (state.link !== undefined) context.onLost(state.link, reason)
  }
  const link = await connectKind(context, backend, onLost, signal).catch((error: unknown) => {
    // The first message itself may have ended the process: then the next process gets the other opening message.
    const isDoubtful = backend.kind !== 'http' && state.lost !== undefined && context.sessions.changeOpening()
    throw isDoubtful ? new EndedEarly(describeError(error), error) : error
  })
  await context.tools?.connecting(link, signal)
  if (state.lost !== undefined) {
    // No slot owns the link and would stop it later, so it would keep trying to reach the server.
    link.stop(state.lost, false)
    throw unavailable(`The server ${context.name} was lost right after it started: ${state.lost}.`)
  }
  state.link = link
  return link
}

function connectKind(
  context: ConnectContext,
  backend: Backend,
  onLost: (reason: string) => void,
  signal: AbortSignal,
): Promise<BackendLink> {
  if (backend.kind === 'stdio') return stdio(context, backend, onLost, signal)
  if (backend.kind === 'isolated') return isolated(context, backend, onLost, signal)
  if (backend.kind === 'auto') return auto(context, backend, onLost, signal)
  return http(context, backend, onLost, signal)
}

/** Loaded only when a workload asks for it. */
async function isolated(
  { name, limits, options, sessions, tools }: ConnectContext,
  backend: IsolatedBackend,
  onLost: (reason: string) => void,
  signal: AbortSignal,
): Promise<BackendLink> {
  const { connectIsolated } = await import('../servers/isolated/isolated.ts')
  const { link, opening } = await connectIsolated(
    {
      ...{ name, backend, limits, logger: options.logger, opening: sessions.opening, onLost },
      onListChanged: tools?.changed,
      onOutput: (stream, text) => options.events.onOutput(name, stream, text),
      endSession: (session) => sessions.end(session),
    },
    signal,
  )
  sessions.handshake = { processId: backend.first.processId, result: link.result, era: link.era, opening }
  return link
}

async function auto(
  { name, limits, options, sessions, tools }: ConnectContext,
  backend: AutoBackend,
  onLost: (reason: string) => void,
  signal: AbortSignal,
): Promise<BackendLink> {
  const { connectAuto } = await import('../servers/auto/auto.ts')
  const { processId } = backend.first
  const { handshake, opening: first } = sessions
  const { link, opening } = await connectAuto(
    {
      ...{ name, backend, limits, logger: options.logger, opening: first, onLost },
      known: handshake?.processId === processId ? handshake : undefined,
      sessions: () => sessions.all(),
      onOwnNeeded: () => options.events.onOwnNeeded?.(name),
      onListChanged: tools?.changed,
      onOutput: (stream, text) => options.events.onOutput(name, stream, text),
    },
    signal,
  )
  sessions.handshake = { processId, result: link.result, era: link.era, opening }
  return link
}

async function stdio(
  context: ConnectContext,
  backend: StdioServer,
  onLost: (reason: string) => void,
  signal: AbortSignal,
) {
  const { name, limits, options, sessions, tools } = context
  const { processId, channel, start } = backend
  const { handshake } = sessions
  const connected = await connectStdio(
    {
      name,
      channel,
      start,
      known: handshake?.processId === processId ? handshake : undefined,
      opening: sessions.opening,
      sessions: () => sessions.all(),
      limits,
      logger: options.logger,
      onOutput: (stream, text) => options.events.onOutput(name, stream, text),
      onLost,
      ...(tools && { onListChanged: (part) => tools.changed(undefined, part) }),
    },
    signal,
  )
  const { link, opening } = connected
  sessions.handshake = { processId, result: link.result, era: link.era, opening }
  return link
}

/** Loaded only when it is needed: the HTTP client is large. */
async function http(
  context: ConnectContext,
  backend: Extract<Backend, { kind: 'http' }>,
  onLost: (reason: string) => void,
  signal: AbortSignal,
) {
  const { connectHttp } = await import('../servers/http/http.ts')
  const { name, limits, options, sessions } = context
  const authorizer = await options.logins?.authorizerOf(name, backend)
  return connectHttp(
    {
      ...{ name, backend, limits, authorizer, onLost, onListChanged: context.tools?.changed },
      ownAddresses: options.ownAddresses,
      sessions: () => sessions.all(),
      onStored: () => sessions.changed(),
    },
    signal,
  )
}
