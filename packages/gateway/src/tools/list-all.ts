import { unavailable } from '@toolhaven/core/errors'
import { isObject, RPC_ERROR, type JsonObject } from '../messages/json-rpc.ts'

/** Stops at a server whose list has no end. */
const MOST_PAGES = 200

/**
 * Every page of a server's list. `ask` returns the response to one request for it. Half a list counts as none.
 * `isOptional`: servers that do not have the list answer with errors of many kinds.
 */
export async function listAll(
  field: string,
  ask: (params: JsonObject) => Promise<JsonObject>,
  isOptional = false,
): Promise<unknown[]> {
  const all: unknown[] = []
  let cursor: unknown
  for (let page = 0; page < MOST_PAGES; page++) {
    const { result, error } = await ask(cursor === undefined ? {} : { cursor })
    if (isObject(error) && meansNone(error['code'], isOptional && page === 0)) return []
    const listed = isObject(result) ? result[field] : undefined
    if (!isObject(result) || !Array.isArray(listed)) throw unavailable(`it did not list them${why(error)}`)
    all.push(...listed)
    cursor = result['nextCursor']
    if (typeof cursor !== 'string') return all
  }
  throw unavailable(`its list has no end after ${MOST_PAGES} pages`)
}

/** The gateway itself sends the code `server` for a server that is away: that is not an answer. */
function meansNone(code: unknown, isOptional: boolean): boolean {
  return code === RPC_ERROR.methodNotFound || (isOptional && code !== RPC_ERROR.server)
}

function why(error: unknown): string {
  const message = isObject(error) ? error['message'] : undefined
  return typeof message === 'string' ? ` (${message.slice(0, 200)})` : ''
}
