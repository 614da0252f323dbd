import { afterAll, beforeAll, expect, test } from 'vitest'
import { readEvents, type ServerSentEvent } from './read-events.ts'

// As in Safari, whose streams cannot be iterated.
const iterator = Object.getOwnPropertyDescriptor(ReadableStream.prototype, Symbol.asyncIterator)
beforeAll(() => {
  Object.defineProperty(ReadableStream.prototype, Symbol.asyncIterator, { value: undefined, configurable: true })
})
afterAll(() => {
  if (iterator) Object.defineProperty(ReadableStream.prototype, Symbol.asyncIterator, iterator)
})

function answer(pieces: readonly string[], onCancel = () => {}): Response {
  const bytes = pieces.map((piece) => new TextEncoder().encode(piece))
  return new Response(
    new ReadableStream<Uint8Array<ArrayBuffer>>({
      pull(controller) {
        const next = bytes.shift()
        if (next) controller.enqueue(next)
        else controller.close()
      },
      cancel: onCancel,
    }),
  )
}

test('events are read where streams cannot be iterated, also when they come in pieces', async () => {
  const found: ServerSentEvent[] = []
  const response = answer(['event: work', 'load\ndata: {"a":1}\n', '\n: beat\n\n'])
  for await (const event of readEvents(response)) found.push(event)
  expect(found).toEqual([
    { event: 'workload', data: '{"a":1}' },
    { event: '', data: '' },
  ])
})

test('a reader that stops ends the request', async () => {
  let isCancelled = false
  const response = answer(
    Array.from({ length: 9 }, () => 'data: 1\n\n'),
    () => (isCancelled = true),
  )
  for await (const event of readEvents(response)) {
    expect(event.data).toBe('1')
    break
  }
  expect(isCancelled).toBe(true)
})
