import { describeError, unavailable } from '@toolhaven/core/errors'
import type { BackendLink } from '../servers/backend.ts'
import type { BackendSlot } from '../endpoint/backend-slot.ts'
import { endToEndHeaders } from '../http/server/end-to-end-headers.ts'
import type { HttpRequest } from '../http/server/exchange.ts'
import { RPC_ERROR, type JsonObject, type RpcRequest } from '../messages/json-rpc.ts'
import { UNWELCOME, type DispatchContext } from './dispatch.ts'
import type { Session } from './session.ts'

/** A client's handshake: the response to it (result or error). Throws when there is none, in words for the client. */
export async function initializeSession(
  { pipeline, slot, limits }: Pick<DispatchContext, 'pipeline' | 'slot' | 'limits'>,
  session: Session,
  request: RpcRequest,
  from: HttpRequest,
): Promise<JsonObject> {
  const admittedBy = pipeline()
  const headers = () => endToEndHeaders(from.headers)
  const asker = { session, from, headers, id: request.id }
  const watched = admittedBy.watch(request, asker)
  session.isOpening = true
  try {
    const greet = async (link: BackendLink) => {
      // The rules may have changed while the client waited for the server.
      const now = pipeline()
      if (now !== admittedBy && !(await now.mayStay(from))) throw unavailable(UNWELCOME.refusal.message)
      return link.initialize(session, watched?.request ?? request, (watched?.headers ?? headers)())
    }
    const answer = await greetServer(slot, session, greet, limits.backendWaitMs)
    const body = await pipeline().toClient(request, answer, asker)
    watched?.onEnd(body)
    return body
  } catch (error) {
    watched?.onEnd({ jsonrpc: '2.0', error: { code: RPC_ERROR.server, message: describeError(error) } })
    throw error
  } finally {
    session.isOpening = false
    session.lastSeen = Date.now()
  }
}

/**
 * If the workload's server is replaced before it has answered, the next one gets the handshake: nothing of it remains
 * in a server that is gone.
 */
async function greetServer(
  slot: BackendSlot,
  session: Session,
  greet: (link: BackendLink) => Promise<JsonObject>,
  waitMs: number,
): Promise<JsonObject> {
  const deadline = Date.now() + waitMs
  for (;;) {
    const link = await slot.waitFor(session, Math.max(0, deadline - Date.now()))
    try {
      return await greet(link)
    } catch (error) {
      if (slot.link === link || session.isEnded || Date.now() >= deadline) throw error
    }
  }
}
