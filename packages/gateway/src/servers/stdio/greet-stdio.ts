import { unavailable } from '@toolhaven/core/errors'
import { isObject, type JsonObject } from '../../messages/json-rpc.ts'
import { NEWEST_VERSION } from '../../messages/protocol-versions.ts'
import { GATEWAY_CAPABILITIES, GATEWAY_CLIENT, type Era } from '../backend.ts'
import { foreignVersions, OWN_META, readDiscovery } from '../discovery.ts'
import type { StdioPipe } from './stdio-pipe.ts'
import { within } from '../within.ts'

/**
 * The first message to a process. Revision 2026-07-28 asks for `server/discover`. Some servers with sessions exit on
 * it, or say nothing: those get `initialize` from their second start on.
 */
export type Opening = 'discover' | 'initialize'

export interface Greeting {
  era: Era
  result: JsonObject
  /** The first message for the next process. */
  opening: Opening
}

export interface GreetOptions {
  name: string
  opening: Opening
  /** How long a server may take to answer `server/discover` before it is asked the older way as well. */
  probeMs: number
}

/** The gateway's own. */
export const INITIALIZE = {
  protocolVersion: NEWEST_VERSION,
  capabilities: GATEWAY_CAPABILITIES,
  clientInfo: GATEWAY_CLIENT,
}

/** Finds out which era a process speaks and completes its greeting. */
export async function greetStdio(
  pipe: StdioPipe,
  { name, opening, probeMs }: GreetOptions,
  signal: AbortSignal,
): Promise<Greeting> {
  if (opening === 'initialize') {
    const asked = pipe.ask('initialize', INITIALIZE, signal)
    if ((await within(asked, probeMs)) === undefined) refuseOtherProgram(pipe, name)
    const { result } = await asked
    if (isObject(result)) return { era: 'legacy', result, opening }
    // Probably another version of the server than last time.
  }
  let isAnswered = false
  const probe = pipe.ask('server/discover', { _meta: OWN_META }, signal).then((answer) => {
    isAnswered = true
    return readDiscovery(answer)
  })
  const found = await within(probe, probeMs)
  if (found?.kind === 'modern') return { era: 'modern', result: found.result, opening: 'discover' }
  if (found?.kind === 'foreign') throw foreignVersions(name, found.supported)
  // A slow server finds both questions. A server that knows both eras answers the second one. A stateless server only
  // refuses it.
  const asked = pipe.ask('initialize', INITIALIZE, signal)
  if ((await within(asked, probeMs)) === undefined) refuseOtherProgram(pipe, name)
  const { result } = await asked
  if (isObject(result)) return { era: 'legacy', result, opening: isAnswered ? 'discover' : 'initialize' }
  // Its answers may come in any order.
  const last = await probe
  if (last.kind === 'modern') return { era: 'modern', result: last.result, opening: 'discover' }
  if (last.kind === 'foreign') throw foreignVersions(name, last.supported)
  throw unavailable(
    `The server ${name} accepted neither server/discover nor initialize, so it speaks no revision of MCP that Toolhaven knows. Look at its logs.`,
  )
}

/** A program that writes text where messages belong, and never a message, will not answer. */
function refuseOtherProgram({ hasSpoken, strayLine }: StdioPipe, name: string): void {
  if (hasSpoken || strayLine === undefined) return
  throw unavailable(
    `The server ${name} is not an MCP server on standard input and output: it answers nothing and writes "${strayLine.slice(0, 200)}". ` +
      'If it listens on a port, set transport and target_port.',
  )
}
