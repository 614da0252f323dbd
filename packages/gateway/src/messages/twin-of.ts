import { KnownNames } from './alike.ts'

const ENVELOPE = new KnownNames(['jsonrpc', 'id', 'method', 'params', 'result', 'error'])
const PARAMETERS = new KnownNames([
  ...['_meta', 'name', 'arguments', 'uri', 'ref', 'notifications', 'level', 'cursor', 'task', 'taskId'],
  ...['requestState', 'inputResponses', 'requestId', 'progressToken'],
  ...['protocolVersion', 'capabilities', 'clientInfo'],
])
const META = new KnownNames(['progressToken'])
const REFERENCE = new KnownNames(['type', 'name', 'uri'])
const SUBSCRIPTIONS = new KnownNames([
  ...['toolsListChanged', 'promptsListChanged', 'resourcesListChanged', 'resourceSubscriptions'],
])

/**
 * A key that readers who ignore case, such as Go's encoding/json, take for another key that is judged here. Such a
 * message says one thing to the gateway and another to them.
 */
export function twinOf(message: object): string | undefined {
  const twin = ENVELOPE.twinIn(message)
  if (twin !== undefined || !('params' in message) || !isKeyed(message.params)) return twin
  const { params } = message
  return (
    PARAMETERS.twinIn(params) ??
    ('_meta' in params && isKeyed(params._meta) ? META.twinIn(params._meta) : undefined) ??
    ('ref' in params && isKeyed(params.ref) ? REFERENCE.twinIn(params.ref) : undefined) ??
    ('notifications' in params && isKeyed(params.notifications)
      ? SUBSCRIPTIONS.twinIn(params.notifications)
      : undefined)
  )
}

const isKeyed = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
