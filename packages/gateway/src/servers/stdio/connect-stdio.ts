import { ThvError, unavailable } from '@toolhaven/core/errors'
import { StayedSilent } from '@toolhaven/core/workloads/stayed-silent'
import type { JsonObject } from '../../messages/json-rpc.ts'
import type { BackendLink } from '../backend.ts'
import { greetStdio, type Opening } from './greet-stdio.ts'
import { StdioBackend, type StdioBackendOptions } from './stdio.ts'
import { StdioPipe } from './stdio-pipe.ts'

/** Starts the process and finds out which era it speaks. */
export async function connectStdio(
  options: StdioBackendOptions,
  signal: AbortSignal,
): Promise<{ link: BackendLink; opening: Opening }> {
  const { name, limits, known, opening } = options
  const pipe = new StdioPipe(options)
  const legacy = new StdioBackend(options, pipe)
  try {
    await options.start?.()
    const limit = AbortSignal.any([signal, AbortSignal.timeout(limits.handshakeMs)])
    const greeting =
      known === undefined
        ? await greetStdio(pipe, { name, opening, probeMs: limits.probeMs }, limit)
        : { ...known, opening }
    if (greeting.era === 'modern')
      return { link: await modernOver(options, pipe, greeting.result), opening: greeting.opening }
    legacy.begin(greeting.result, known === undefined)
    return { link: legacy, opening: greeting.opening }
  } catch (error) {
    pipe.stop('the server could not be started', false)
    if (error instanceof ThvError) throw error
    if (error instanceof Error && error.name === 'TimeoutError')
      throw new StayedSilent(
        `The server ${name} did not answer its first MCP message in time. Check that it is an MCP server on standard input and output. ` +
          'If it listens on a port, set transport and target_port.',
        error,
      )
    throw unavailable(
      `The server ${name} did not complete the MCP handshake: ${String(error)}. Look at its logs.`,
      error,
    )
  }
}

/** Loaded only when a server needs it. */
async function modernOver(options: StdioBackendOptions, pipe: StdioPipe, result: JsonObject): Promise<BackendLink> {
  const { ModernBackend } = await import('../stateless/modern-backend.ts')
  const { PipeRequests } = await import('../stateless/pipe-requests.ts')
  const { name, sessions, limits, onListChanged } = options
  const requests = new PipeRequests(pipe)
  return new ModernBackend({ name, sessions, result, requests, limits, onListChanged })
}
