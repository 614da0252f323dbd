import { isObject, type JsonObject, type RpcNotification } from '../../json-rpc.ts'
import { META, metaOf } from '../../modern-era.ts'
import { OWN_META } from '../discovery.ts'
import type { ServerRequests } from './requests.ts'

export interface SharedListenOptions {
  requests: ServerRequests
  capabilities: unknown
  onNotification: (notification: RpcNotification) => void
}

interface Stream {
  uris: ReadonlySet<string>
  /** The resources the server agreed to tell of. */
  granted: Promise<ReadonlySet<string>>
  isCurrent: boolean
  cancel: () => void
}

const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 30_000
const NOTHING: ReadonlySet<string> = new Set()

/** One `subscriptions/listen` for all clients with sessions. To change what it is about, another one takes its place. */
export class SharedListen {
  readonly #options: SharedListenOptions
  #stream: Stream | undefined
  #timer: NodeJS.Timeout | undefined
  #pauseMs = FIRST_PAUSE_MS

  constructor(options: SharedListenOptions) {
    this.#options = options
  }

  /** From now on the server tells of these resources and of its lists: of which of the resources. */
  want(uris: ReadonlySet<string>): Promise<ReadonlySet<string>> {
    const current = this.#stream
    if (current !== undefined && current.uris.size === uris.size && [...uris].every((uri) => current.uris.has(uri)))
      return current.granted
    clearTimeout(this.#timer)
    const filter = this.#filter(uris)
    if (Object.keys(filter).length === 0) return Promise.resolve(NOTHING)
    this.#stream = this.#open(uris, filter, current)
    return this.#stream.granted
  }

  close(): void {
    clearTimeout(this.#timer)
    const stream = this.#stream
    this.#stream = undefined
    stream?.cancel()
  }

  #open(uris: ReadonlySet<string>, notifications: JsonObject, former: Stream | undefined): Stream {
    const { requests, onNotification } = this.#options
    const granted = Promise.withResolvers<ReadonlySet<string>>()
    const takeOver = (agreed: ReadonlySet<string>) => {
      granted.resolve(agreed)
      stream.isCurrent = true
      former?.cancel()
    }
    const stream: Stream = { uris, granted: granted.promise, isCurrent: false, cancel: () => {} }
    const params = { notifications, _meta: OWN_META }
    const cancel = requests.send(
      { method: 'subscriptions/listen', params, headers: {}, session: undefined, waitMs: 0 },
      {
        onNotification: (notification) => {
          if (notification.method === 'notifications/subscriptions/acknowledged') {
            this.#pauseMs = FIRST_PAUSE_MS
            takeOver(agreedUris(notification.params))
          } else if (stream.isCurrent) onNotification(withoutMark(notification))
        },
        onAnswer: (body) => {
          takeOver(NOTHING)
          this.#ended(stream, 'result' in body)
        },
        onLost: () => {
          takeOver(NOTHING)
          this.#ended(stream, true)
        },
      },
    )
    stream.cancel = () => {
      stream.isCurrent = false
      granted.resolve(NOTHING)
      cancel({ reason: 'no longer needed' })
    }
    return stream
  }

  /** A server that closed the stream is asked again; one that refused it is not. */
  #ended(stream: Stream, isRetried: boolean): void {
    stream.isCurrent = false
    if (!isRetried || this.#stream !== stream) return
    this.#timer = setTimeout(() => {
      if (this.#stream !== stream) return
      this.#stream = undefined
      void this.want(stream.uris)
    }, this.#pauseMs)
    this.#timer.unref()
    this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS)
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

/** Clients with sessions know nothing of the subscription. */
function withoutMark({ kind, method, body, params }: RpcNotification): RpcNotification {
  const { [META.subscriptionId]: _id, ...meta } = metaOf(params)
  const { _meta: _all, ...rest } = params ?? {}
  const shown = { ...rest, ...(Object.keys(meta).length > 0 && { _meta: meta }) }
  const { params: _params, ...head } = body
  const clean = Object.keys(shown).length === 0 ? head : { ...head, params: shown }
  return { kind, method, params: shown, body: clean, text: JSON.stringify(clean) }
}
