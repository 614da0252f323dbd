const HEARTBEAT_MS = 15_000

/** Events that wait for a slow reader. */
const MAX_WAITING = { events: 10_000, characters: 4 * 1024 * 1024 }

type Send = (event: string, data: string) => void

export interface EventStreamOptions {
  /** Called after a gap to send the present state. Events that still waited are dropped. */
  afterGap?: (send: Send) => void
}

/**
 * A stream of server-sent events. `start` feeds it and returns its clean-up. It ends with the request. A reader that falls behind
 * gets an event named gap instead of the events that it missed.
 */
export function eventStream(
  signal: AbortSignal,
  start: (send: Send) => () => void,
  { afterGap }: EventStreamOptions = {},
): Response {
  const encoder = new TextEncoder()
  const waiting = createWaiting(afterGap)
  let stop = () => {}
  let flush = () => {}
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      let isOpen = true
      const give = (text: string) => text !== '' && controller.enqueue(encoder.encode(text))
      flush = () => void ((controller.desiredSize ?? 0) > 0 && give(waiting.take()))
      const write = (text: string) => {
        if (!isOpen) return
        waiting.add(text)
        flush()
      }
      const end = () => {
        if (!isOpen) return
        stop()
        give(waiting.take())
        controller.close()
      }
      const heartbeat = setInterval(() => write(': still here\n\n'), HEARTBEAT_MS)
      let unsubscribe = () => {}
      // The reader may disconnect before the signal aborts. Closing would then throw an uncaught error.
      stop = () => {
        isOpen = false
        clearInterval(heartbeat)
        unsubscribe()
      }
      write(': open\n\n')
      unsubscribe = start((event, data) => write(format(event, data)))
      signal.addEventListener('abort', end, { once: true })
      if (signal.aborted) end()
    },
    pull: () => flush(),
    cancel: () => stop(),
  })
  return new Response(body, {
    headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' },
  })
}

const format = (event: string, data: string) => `event: ${event}\ndata: ${data}\n\n`

/** A bounded queue of texts that the reader has not taken yet. */
function createWaiting(afterGap: EventStreamOptions['afterGap']) {
  let texts: string[] = []
  let characters = 0
  let missed = 0
  const clear = () => {
    texts = []
    characters = 0
  }
  return {
    add: (text: string) => {
      if (texts.length >= MAX_WAITING.events || characters + text.length > MAX_WAITING.characters) {
        missed += texts.length
        clear()
      }
      texts.push(text)
      characters += text.length
    },
    take: () => {
      if (missed > 0) {
        const known = afterGap ? texts.splice(0).length : 0
        texts.unshift(format('gap', JSON.stringify({ missed: missed + known })))
        afterGap?.((event, data) => texts.push(format(event, data)))
      }
      const text = texts.join('')
      clear()
      missed = 0
      return text
    },
  }
}
