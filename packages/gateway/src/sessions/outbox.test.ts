import { createServer } from 'node:http'
import { expect, it } from 'vitest'
import { EventStream } from '../http/server/event-stream.ts'
import { AnswerStreams } from './answer-streams.ts'
import { KeptBytes } from './kept-bytes.ts'
import { Outbox } from './outbox.ts'

/** Opens a real stream on the outbox and collects what a client sees of it until `until` has arrived. */
async function read(outbox: Outbox, until: string, lastEventId?: string): Promise<{ ids: string[]; data: string[] }> {
  const server = createServer((_request, response) => outbox.attach(new EventStream(response, 1_000_000), lastEventId))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const response = await fetch(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`)
  let text = ''
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk
    if (text.includes(`data: ${until}\n`)) break
  }
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  return {
    ids: [...text.matchAll(/^id: (.*)$/gm)].map((match) => match[1] ?? ''),
    data: [...text.matchAll(/^data: (.*)$/gm)].map((match) => match[1] ?? ''),
  }
}

it('keeps messages for a client without a stream, and gives them once', async () => {
  const outbox = new Outbox({ maxQueuedMessages: 10, maxQueuedBytes: 1000 })
  outbox.push('1')
  outbox.push('2')
  expect((await read(outbox, '2')).data).toEqual(['1', '2'])
  outbox.push('3')
  expect((await read(outbox, '3')).data).toEqual(['3'])
})

it('gives again what came after the last event the client saw', async () => {
  const outbox = new Outbox({ maxQueuedMessages: 10, maxQueuedBytes: 1000 })
  for (const text of ['1', '2', '3']) outbox.push(text)
  const first = await read(outbox, '3')
  expect((await read(outbox, '3', first.ids[0])).data).toEqual(['2', '3'])
})

it('takes the id of an event of a former daemon for nothing', async () => {
  const outbox = new Outbox({ maxQueuedMessages: 10, maxQueuedBytes: 1000 })
  outbox.push('1')
  expect((await read(outbox, '1', 'abcdef-99')).data).toEqual(['1'])
})

it('lets the oldest go when it is full', async () => {
  const outbox = new Outbox({ maxQueuedMessages: 3, maxQueuedBytes: 100 })
  for (let i = 0; i < 10; i++) outbox.push(`m${i}`)
  expect((await read(outbox, 'm9')).data).toEqual(['m7', 'm8', 'm9'])
  outbox.push('x'.repeat(60))
  outbox.push('y'.repeat(60))
  expect((await read(outbox, 'y'.repeat(60))).data).toEqual(['y'.repeat(60)])
})

it('keeps nothing for a session that has ended', () => {
  const whole = new KeptBytes(1000)
  const outbox = new Outbox({ maxQueuedMessages: 10, maxQueuedBytes: 1000 })
  outbox.whole = whole
  outbox.push('before')
  outbox.close()
  outbox.push('after')
  expect(whole.bytes).toBe(0)
})

it('keeps no answers for a session that has ended', () => {
  const whole = new KeptBytes(1000)
  const answers = new AnswerStreams({ maxQueuedMessages: 10, maxQueuedBytes: 1000, resumeMs: 60_000 }, whole)
  const before = answers.open()
  before.send('before')
  answers.close()
  const after = answers.open()
  for (const stream of [before, after]) {
    stream.send('after')
    expect(whole.bytes).toBe(0)
    stream.end(false)
    expect(whole.bytes).toBe(0)
  }
})
