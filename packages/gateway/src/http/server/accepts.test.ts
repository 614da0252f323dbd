import { describe, expect, it } from 'vitest'
import { accepts, prefersStream } from './accepts.ts'

describe('an Accept header', () => {
  it.each([
    [undefined, true, true],
    ['application/json, text/event-stream', true, true],
    ['*/*', true, true],
    ['text/*', false, true],
    ['Application/JSON', true, false],
    ['application/json;q=0, */*', false, true],
    ['application/json; q=0.0, text/event-stream', false, true],
    ['application/json;charset=utf-8;q=0.5', true, false],
    ['text/html', false, false],
    ['', false, false],
  ])('%s allows JSON: %s, streams: %s', (header, json, stream) => {
    expect([accepts(header, 'application/json'), accepts(header, 'text/event-stream')]).toEqual([json, stream])
  })

  it.each([
    [undefined, false],
    ['application/json, text/event-stream', false],
    ['application/json,text/event-stream', false],
    ['*/*', false],
    ['application/json', false],
    ['text/html', false],
    ['text/event-stream', true],
    ['text/event-stream, application/json', true],
    ['text/event-stream, */*', true],
    ['application/json;q=0.5, text/event-stream', true],
    ['text/event-stream;q=0.5, application/json', false],
  ])('%s asks for streams rather than JSON: %s', (header, isPreferred) => {
    expect(prefersStream(header)).toBe(isPreferred)
  })
})
