export interface ServerSentEvent {
  event: string
  data: string
}

/**
 * The events of a stream as they come. Not EventSource: that cannot carry the header that a login needs, and hides why a
 * stream ended.
 */
export async function* readEvents(response: Response): AsyncGenerator<ServerSentEvent> {
  if (!response.body) return
  // Safari cannot iterate a stream, so that it is read piece by piece.
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  try {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      const blocks = (rest + piece.value).split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks) yield parseBlock(block)
    }
  } finally {
    // A reader that stops early ends the request too.
    await reader.cancel().catch(() => undefined)
  }
}

/** A comment, such as a heartbeat, is an event without data. */
function parseBlock(block: string): ServerSentEvent {
  const found: ServerSentEvent = { event: '', data: '' }
  for (const line of block.split('\n')) {
    if (line.startsWith('event: ')) found.event = line.slice('event: '.length)
    if (line.startsWith('data: ')) found.data += line.slice('data: '.length)
  }
  return found
}
