import { Backoff } from '@toolhaven/contract/backoff'
import { isObject, type JsonObject, type RpcNotification } from '../../messages/json-rpc.ts'
import { META, metaOf } from '../../messages/modern-era.ts'
import { OWN_META } from '../discovery.ts'
import type { ServerRequests } from './requests.ts'

export interface SharedListenOptions {
  requests: ServerRequests
  capabilities: unknown
  onNotification: (notification: RpcNotification) => void
}

interface Stream {
  uris: ReadonlySet<string>
  /** The resources that the server agreed to report on. */
  granted: Promise<ReadonlySet<string>>
  cancel: () => void
}

const PAUSES = { firstMs: 500, longestMs: 30_000 }
const NOTHING: ReadonlySet<string> = new Set()

/**
 * One `subscriptions/listen` for all clients with sessions. To change what it covers, another one replaces it as soon
 * as that one is acknowledged.
 */
export class SharedListen {
  readonly #options: SharedListenOptions
  /** Oldest first. Only the first was acknowledged. Those after it will replace it. */
  #open: Stream[] = []
  /** The last one that was requested, whatever became of it. */
  #latest: Stream | undefined
  #timer: NodeJS.Timeout | undefined
  readonly #backoff = new Backoff(PAUSES)

  constructor(options: SharedListenOptions) {
    this.#options = options
  }

  /** From now on the server reports on these resources and on its lists. Returns the resources that it agreed to. */
  want(uris: ReadonlySet<string>): Promise<ReadonlySet<string>> {
    const latest = this.#latest
    if (latest !== undefined && latest.uris.size === uris.size && [...uris].every((uri) => latest.uris.has(uri)))
      return latest.granted
    const notifications = this.#filter(uris)
    if (Object.keys(notifications).length === 0) return Promise.resolve(NOTHING)
    return this.#start(uris, notifications)
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#latest = undefined
    for (const stream of this.#open.splice(0)) stream.cancel()
  }

  #start(uris: ReadonlySet<string>, notifications: JsonObject): Promise<ReadonlySet<string>> {
    clearTimeout(this.#timer)
    const { requests, onNotification } = this.#options
    const { promise: granted, resolve } = Promise.withResolvers<ReadonlySet<string>>()
    const stream: Stream = { uris, granted, cancel: () => {} }
    this.#open.push(stream)
    this.#latest = stream
    const end = (isRefused: boolean) => {
      resolve(NOTHING)
      this.#ended(stream, isRefused)
    }
    const cancel = requests.send(
      {
        ...{ method: 'subscriptions/listen', params: { notifications, _meta: OWN_META } },
        ...{ headers: {}, session: undefined, waitMs: 0 },
      },
      {
        onNotification: (notification) => {
          if (notification.method === 'notifications/subscriptions/acknowledged') {
            resolve(agreedUris(notification.params))
            this.#takeOver(stream)
          } else if (this.#open[0] === stream) onNotification(withoutMark(notification))
        },
        onAnswer: (body) => end('error' in body),
        onLost: () => end(false),
      },
    )
    stream.cancel = () => {
      resolve(NOTHING)
      cancel({ reason: 'no longer needed' })
    }
    return granted
  }

  #takeOver(stream: Stream): void {
    this.#backoff.reset()
    for (const older of this.#open.splice(0, this.#open.indexOf(stream))) older.cancel()
  }

  /**
   * If a server closed the stream, it is asked again. If it refused the stream, it is not, and the stream before stays.
   */
  #ended(stream: Stream, isRefused: boolean): void {
    this.#open = this.#open.filter((candidate) => candidate !== stream)
    if (isRefused || this.#latest !== stream) return
    const again = () => void this.#start(stream.uris, this.#filter(stream.uris))
    this.#timer = setTimeout(again, this.#backoff.next())
    this.#timer.unref()
  }

  #filter(uris: ReadonlySet<string>): JsonObject {
    const { capabilities } = this.#options
    const can = (feature: string, ability: string) =>
      isObject(capabilities) && isObject(capabilities[feature]) && capabilities[feature][ability] === true
    return {
      ...(can('tools', 'listChanged') && { toolsListChanged: true }),
      ...(can('prompts', 'listChanged') && { promptsListChanged: true }),
      ...(can('resources', 'listChanged') && { resourcesListChanged: true }),
      ...(uris.size > 0 && can('resources', 'subscribe') && { resourceSubscriptions: [...uris] }),
    }
  }
}

function agreedUris(params: JsonObject | undefined): ReadonlySet<string> {
  const notifications = params?.['notifications']
  const uris = isObject(notifications) ? notifications['resourceSubscriptions'] : undefined
  return new Set(Array.isArray(uris) ? uris.filter((uri) => typeof uri === 'string') : [])
}

/** Clients with sessions know nothing about the subscription. */
function withoutMark({ kind, method, body, params }: RpcNotification): RpcNotification {
  const { [META.subscriptionId]: _id, ...meta } = metaOf(params)
  const { _meta: _all, ...rest } = params ?? {}
  const shown = { ...rest, ...(Object.keys(meta).length > 0 && { _meta: meta }) }
  const { params: _params, ...head } = body
  const clean = Object.keys(shown).length === 0 ? head : { ...head, params: shown }
  return { kind, method, params: shown, body: clean, text: JSON.stringify(clean) }
}
