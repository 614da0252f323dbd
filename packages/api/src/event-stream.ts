const HEARTBEAT_MS = 15_000

/** A server-sent event stream fed by `start`, which gives its own clean-up. Ends with the request. */
export function eventStream(signal: AbortSignal, start: (send: (event: string, data: string) => void) => () => void): Response {
  const encoder = new TextEncoder()
  let stop = () => {}
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const write = (text: string) => controller.enqueue(encoder.encode(text))
      const heartbeat = setInterval(() => write(': still here\n\n'), HEARTBEAT_MS)
      const unsubscribe = start((event, data) => write(`event: ${event}\ndata: ${data}\n\n`))
      let isOpen = true
      stop = () => {
        if (!isOpen) return
        isOpen = false
        clearInterval(heartbeat)
        unsubscribe()
      }
      signal.addEventListener('abort', () => {
        stop()
        controller.close()
      }, { once: true })
      write(': open\n\n')
    },
    cancel: () => stop(),
  })
  return new Response(body, {
    headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' },
  })
}
