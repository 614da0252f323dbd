import type { JsonObject, RpcRequest } from '../../messages/json-rpc.ts'
import type { Session } from '../../sessions/session.ts'

/** What the server accepted has to be requested again if the server forgets the session. */
export function rememberRequest(session: Session, { method, params }: RpcRequest): void {
  const uri = params?.['uri']
  if (method === 'resources/subscribe' && typeof uri === 'string') session.subscriptions.add(uri)
  if (method === 'resources/unsubscribe' && typeof uri === 'string') session.subscriptions.delete(uri)
  if (method === 'logging/setLevel' && typeof params?.['level'] === 'string') session.logLevel = params['level']
}

/** A call that was refused has started no task, so its session need not be kept. */
export function rememberTask(session: Session, body: JsonObject, onStored: () => void): JsonObject {
  if (!session.hasTasks && 'result' in body) {
    session.hasTasks = true
    onStored()
  }
  return body
}
