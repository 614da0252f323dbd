import type { EventStream } from '../../http/server/event-stream.ts'
import { isObject, parseMessage, type JsonObject, type RequestId } from '../../messages/json-rpc.ts'
import { META, metaOf } from '../../messages/modern-era.ts'
import type { GatewayLimits } from '../../endpoint/options.ts'
import { NEWEST_VERSION } from '../../messages/protocol-versions.ts'
import { Session } from '../../sessions/session.ts'
import { isSubscribable, MOST_SUBSCRIPTIONS, TOO_LONG, TOO_MANY } from '../../sessions/subscriptions.ts'

/** What a client asked to be told about. The server agrees to as much as it can. */
export interface Filter {
  toolsListChanged?: true
  promptsListChanged?: true
  resourcesListChanged?: true
  resourceSubscriptions?: string[]
}

const FIELD_OF: Readonly<Record<string, keyof Filter>> = {
  'notifications/tools/list_changed': 'toolsListChanged',
  'notifications/prompts/list_changed': 'promptsListChanged',
  'notifications/resources/list_changed': 'resourcesListChanged',
  'notifications/resources/updated': 'resourceSubscriptions',
}

/** Returns a text that says what is wrong when the value is not a filter. */
export function readFilter(value: unknown): Filter | string {
  if (!isObject(value)) return 'notifications must be an object that says what to subscribe to'
  const { resourceSubscriptions: uris = [] } = value
  if (!isTexts(uris)) return 'resourceSubscriptions must be a list of URIs'
  if (uris.length > MOST_SUBSCRIPTIONS) return TOO_MANY
  if (!uris.every(isSubscribable)) return TOO_LONG
  return {
    ...(value['toolsListChanged'] === true && { toolsListChanged: true }),
    ...(value['promptsListChanged'] === true && { promptsListChanged: true }),
    ...(value['resourcesListChanged'] === true && { resourcesListChanged: true }),
    ...(uris.length > 0 && { resourceSubscriptions: uris }),
  }
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}

/** The part of the filter that the server's capabilities allow. */
export function agreed(filter: Filter, capabilities: unknown): Filter {
  const has = (feature: string, ability: string) =>
    isObject(capabilities) && isObject(capabilities[feature]) && capabilities[feature][ability] === true
  return {
    ...(filter.toolsListChanged && has('tools', 'listChanged') && { toolsListChanged: true }),
    ...(filter.promptsListChanged && has('prompts', 'listChanged') && { promptsListChanged: true }),
    ...(filter.resourcesListChanged && has('resources', 'listChanged') && { resourcesListChanged: true }),
    ...(filter.resourceSubscriptions &&
      has('resources', 'subscribe') && { resourceSubscriptions: filter.resourceSubscriptions }),
  }
}

/** One `subscriptions/listen`: a client like any other to the server, a stream to its client. */
export class ListenSession extends Session {
  readonly #requestId: RequestId
  readonly #filter: Filter
  #stream: EventStream | undefined

  constructor(limits: GatewayLimits, requestId: RequestId, filter: Filter) {
    super('modern', NEWEST_VERSION, CLIENT, limits)
    this.#requestId = requestId
    this.#filter = filter
  }

  override get isIdle(): boolean {
    return false
  }

  /** The first message lists what the client will hear about. */
  start(stream: EventStream, notifications: Filter): void {
    this.#stream = stream
    this.isServed = true
    this.#write({ method: 'notifications/subscriptions/acknowledged', params: { notifications } })
    // It may have ended while it waited for its server.
    if (this.isEnded) this.#finish()
  }

  override send(text: string): void {
    const message = parseMessage(text)
    if (message?.kind !== 'notification') return
    const { method, params } = message
    const field = Object.hasOwn(FIELD_OF, method) ? FIELD_OF[method] : undefined
    if (field !== undefined && this.#filter[field] !== undefined) this.#write({ method, params: params ?? {} })
  }

  override close(): void {
    super.close()
    this.#finish()
  }

  #finish(): void {
    const result = { resultType: 'complete', _meta: { [META.subscriptionId]: this.#requestId } }
    this.#stream?.send(JSON.stringify({ jsonrpc: '2.0', id: this.#requestId, result }), { type: 'message' })
    this.#stream?.end()
  }

  #write({ method, params }: { method: string; params: JsonObject }): void {
    const meta = { ...metaOf(params), [META.subscriptionId]: this.#requestId }
    this.#stream?.send(JSON.stringify({ jsonrpc: '2.0', method, params: { ...params, _meta: meta } }), {
      type: 'message',
    })
  }
}

const CLIENT = { protocolVersion: NEWEST_VERSION, capabilities: {}, clientInfo: { name: 'Toolhaven', version: '0' } }
