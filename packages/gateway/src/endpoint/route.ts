import type { HttpRequest, HttpResponse } from '../http/server/exchange.ts'
import type { FrontContext } from '../clients/front-context.ts'
import { getSse, postMessages } from '../clients/sse.ts'
import { deleteMcp, getMcp, postMcp } from '../clients/streamable-http.ts'
import { sendJson, sendRefusal } from '../http/server/reply.ts'

type Handle = (
  context: RouteContext,
  request: HttpRequest,
  response: HttpResponse,
  query: string,
) => void | Promise<void>

export interface RouteContext extends FrontContext {
  readonly isConnected: boolean
}

/** Every path of a workload's port. */
const ROUTES: Readonly<Record<string, Readonly<Record<string, Handle>>>> = {
  '/mcp': { POST: postMcp, GET: getMcp, DELETE: deleteMcp },
  '/sse': { GET: getSse },
  '/messages': { POST: postMessages },
  '/health': { GET: getHealth, HEAD: getHealth },
}

export function route(context: RouteContext, request: HttpRequest, response: HttpResponse): void | Promise<void> {
  const url = request.url ?? ''
  const mark = url.indexOf('?')
  const path = mark === -1 ? url : url.slice(0, mark)
  const methods = Object.hasOwn(ROUTES, path) ? ROUTES[path] : undefined
  if (methods === undefined)
    return sendRefusal(response, {
      status: 404,
      message: 'There is nothing here. The MCP endpoints are /mcp and /sse.',
    })
  const method = request.method ?? ''
  const handle = Object.hasOwn(methods, method) ? methods[method] : undefined
  if (handle === undefined) {
    const allow = Object.keys(methods).join(', ')
    return sendRefusal(response, { status: 405, message: `This path accepts ${allow}.`, headers: { allow } })
  }
  return handle(context, request, response, mark === -1 ? '' : url.slice(mark + 1))
}

/** Answers whatever the state of the server behind the port. */
function getHealth(context: RouteContext, _request: HttpRequest, response: HttpResponse): void {
  sendJson(response, 200, JSON.stringify({ status: 'healthy', server: context.isConnected ? 'connected' : 'away' }), {
    'cache-control': 'no-store',
  })
}
