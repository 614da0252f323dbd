const HEARTBEAT_MS = 15_000

/** A reader that is this many events behind is let go: it asks again and gets what is true then. */
const MAX_WAITING = 10_000

/** A server-sent event stream fed by `start`, which gives its own clean-up. Ends with the request. */
export function eventStream(
  signal: AbortSignal,
  start: (send: (event: string, data: string) => void) => () => void,
): Response {
  const encoder = new TextEncoder()
  let stop = () => {}
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      let isOpen = true
      const end = () => {
        if (!isOpen) return
        stop()
        controller.close()
      }
      const write = (text: string) => {
        if (!isOpen) return
        controller.enqueue(encoder.encode(text))
        if ((controller.desiredSize ?? 0) < -MAX_WAITING) end()
      }
      const heartbeat = setInterval(() => write(': still here\n\n'), HEARTBEAT_MS)
      let unsubscribe = () => {}
      // The reader may leave before the signal comes: closing then would throw where nobody catches it.
      stop = () => {
        isOpen = false
        clearInterval(heartbeat)
        unsubscribe()
      }
      write(': open\n\n')
      unsubscribe = start((event, data) => write(`event: ${event}\ndata: ${data}\n\n`))
      signal.addEventListener('abort', end, { once: true })
      if (signal.aborted) end()
      else if (!isOpen) unsubscribe()
    },
    cancel: () => stop(),
  })
  return new Response(body, {
    headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' },
  })
}
