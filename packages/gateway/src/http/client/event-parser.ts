import { LineSplitter } from '../../messages/line-splitter.ts'
import type { UpstreamResponse } from './upstream-response.ts'

export interface ServerEvent {
  type: string
  data: string
  id: string | undefined
  /** How long to wait before coming back, when the server said so. */
  retryMs: number | undefined
}

/**
 * Reads a text/event-stream to its end. Rejects when the connection breaks, or when one event exceeds the limit and
 * there is no `onOversize`. `onOversize` gets the first and last bytes of the data; the rest of the event is dropped.
 */
export async function readEvents(
  response: UpstreamResponse,
  maxBytes: number,
  onEvent: (event: ServerEvent) => void,
  onOversize?: (head: string, tail: string) => void,
): Promise<void> {
  let event = emptyEvent()
  let size = 0
  let isDropped = false
  const drop = (head: string, tail: string) => {
    if (onOversize === undefined) throw new Error(`an event is over the limit of ${maxBytes} bytes`)
    if (!isDropped) onOversize(head, tail)
    isDropped = true
  }
  const lines = new LineSplitter({
    maxBytes,
    onLine: (line) => {
      if (line === '') {
        if (!isDropped && (event.data.length > 0 || event.type !== 'message'))
          onEvent({ type: event.type, data: event.data.join('\n'), id: event.id, retryMs: event.retryMs })
        event = emptyEvent()
        size = 0
        isDropped = false
        return
      }
      size += line.length
      if (size > maxBytes) drop(event.data[0] ?? '', line)
      else addField(event, line)
    },
    onOversize: (head, tail) => drop(event.data[0] ?? head.replace(/^data: ?/, ''), tail),
  })
  // Half an event at the end of a broken stream is dropped, as the standard requires.
  await response.readInTurns((chunk, mayGoOn) => lines.push(chunk, mayGoOn))
}

interface OpenEvent {
  type: string
  data: string[]
  id: string | undefined
  retryMs: number | undefined
}

function emptyEvent(): OpenEvent {
  return { type: 'message', data: [], id: undefined, retryMs: undefined }
}

function addField(event: OpenEvent, line: string): void {
  const colon = line.indexOf(':')
  const field = colon === -1 ? line : line.slice(0, colon)
  const value = colon === -1 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)
  if (field === 'data') event.data.push(value)
  else if (field === 'event') event.type = value
  else if (field === 'id' && !value.includes('\0')) event.id = value
  else if (field === 'retry' && /^\d{1,9}$/.test(value)) event.retryMs = Number(value)
}
