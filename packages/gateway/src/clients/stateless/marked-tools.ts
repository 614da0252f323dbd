import type { HttpRequest } from '../../http/server/exchange.ts'
import { isObject, type JsonObject, type RpcRequest } from '../../messages/json-rpc.ts'
import type { Asker } from '../../policy/asker.ts'
import type { Session } from '../../sessions/session.ts'
import type { FrontContext } from '../front-context.ts'
import type { Fault } from './check-request.ts'
import { checkMirrored, withoutInvalidTools } from './tool-headers.ts'

/**
 * Checks that a call repeats in headers what its tool has marked. Before it refuses a call, it reads the tools once
 * more, because their marks may have changed. A tool whose call will be refused anyway is not looked up, so that
 * nothing about it is disclosed.
 */
export async function checkMarked(
  context: FrontContext,
  from: HttpRequest,
  session: Session,
  asked: RpcRequest,
): Promise<Fault | undefined> {
  if (asked.method !== 'tools/call' || !hasAnythingToRepeat(from, asked)) return undefined
  const asker: Asker = { session, from, headers: () => ({}), id: asked.id, isTrial: true }
  const passed = context.pipeline.fromClient(asked, asker)
  if ('refusal' in passed) return undefined
  const check = async () => {
    const marked = (await context.modern.mirroredTools(session)).get(String(passed.request.params?.['name'])) ?? []
    return checkMirrored(marked, from.headers, asked.params?.['arguments'])
  }
  if ((await check()) === undefined) return undefined
  context.modern.forgetTools()
  return check()
}

/** Without arguments and without headers for them, nothing can differ, whatever the tool has marked. */
function hasAnythingToRepeat({ headers }: HttpRequest, { params }: RpcRequest): boolean {
  const args = params?.['arguments']
  const hasArguments = isObject(args) && Object.keys(args).length > 0
  return hasArguments || Object.keys(headers).some((name) => name.startsWith('mcp-param-'))
}

export function withoutInvalid(context: FrontContext, method: string, body: JsonObject): JsonObject {
  const { result } = body
  if (method !== 'tools/list' || !isObject(result)) return body
  return { ...body, result: withoutInvalidTools(result, (name, why) => context.modern.onDropped(name, why)) }
}
