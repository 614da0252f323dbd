import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { bareServer } from '../../../test/support/bare-server.ts'
import { readEvents } from './event-parser.ts'

const EVENTS = 20_000
const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: '
const eventsUpTo = (count: number) => Array.from({ length: count }, (_, at) => `data: ${at}\n\n`).join('')

/** A server that sends this many events of a few bytes at once. */
const talkative = (count = EVENTS, more = 0) =>
  bareServer(({ socket }) => {
    const text = eventsUpTo(count)
    socket.write(`${HEAD}${text.length + more}\r\n\r\n${text}`, () => more > 0 && socket.destroy())
  })

/** Works as long as handing on an event may take. */
function workFor(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end;);
}

it.each([1, 10])(
  'lets others have their turn while servers send endless tiny events on %i streams',
  async (streams) => {
    await using server = await talkative(EVENTS / streams)
    const seen: string[][] = Array.from({ length: streams }, () => [])
    let inThisTurn = 0
    let mostInOneTurn = 0
    const over = new AbortController()
    const reading = seen.map(async (events) => {
      await readEvents(await server.send(), 1000, ({ data }) => {
        events.push(data)
        mostInOneTurn = Math.max(mostInOneTurn, ++inThisTurn)
        workFor(0.05)
      })
    })
    const all = Promise.all(reading).finally(() => over.abort())
    while (!over.signal.aborted) {
      await nextTurn()
      inThisTurn = 0
    }
    await all
    // All events together are a second of work. A turn is a few milliseconds of it.
    expect(mostInOneTurn).toBeLessThan(EVENTS / 20)
    const order = Array.from({ length: EVENTS / streams }, (_, at) => String(at))
    for (const events of seen) expect(events).toEqual(order)
  },
)

it('reads what had come before the connection broke, and tells that it broke', async () => {
  await using server = await talkative(2000, 100)
  let seen = 0
  const response = await server.send()
  const read = readEvents(response, 1000, () => {
    seen++
    workFor(0.05)
  })
  await expect(read).rejects.toThrow()
  expect(seen).toBe(2000)
})

it('reads nothing more once nobody wants it, whatever had come', async () => {
  await using server = await talkative()
  const wanted = new AbortController()
  let seen = 0
  const response = await server.send({ signal: wanted.signal })
  const read = readEvents(response, 1000, () => {
    workFor(0.05)
    if (++seen === 1000) setImmediate(() => wanted.abort(new Error('enough')))
  })
  await expect(read).rejects.toThrow('enough')
  const before = seen
  await nextTurn()
  await nextTurn()
  expect(seen).toBe(before)
  expect(seen).toBeLessThan(EVENTS / 2)
})

it('ends with the fault of an event in a later turn', async () => {
  await using server = await talkative()
  const response = await server.send()
  const read = readEvents(response, 1000, ({ data }) => {
    workFor(0.05)
    if (data === '5000') throw new Error('not that one')
  })
  await expect(read).rejects.toThrow('not that one')
})
