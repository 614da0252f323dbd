import { expect, it } from 'vitest'
import { createParser } from './parse.ts'

const read = (text: string, isDecidedOn: boolean) =>
  createParser({ isDecidedOn: () => isDecidedOn })([Buffer.from(text)])
const texts = (text: string, isDecidedOn: boolean) => {
  const parsed = read(text, isDecidedOn)
  return 'messages' in parsed ? parsed.messages.map((message) => message.text) : parsed
}

const TWICE = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"bad","name":"good"}}'
const LONG = '{"jsonrpc":"2.0","id":1,"method":"m","params":{"n":12345678901234567890123}}'

it('passes bytes on as they came where nobody decides on them', () => {
  expect(texts(` ${TWICE}\n`, false)).toEqual([` ${TWICE}\n`])
})

it('passes on what was decided on, and nothing beside it', () => {
  expect(texts(TWICE, true)).toEqual(['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"good"}}'])
  expect(texts(LONG, true)).toEqual([LONG])
})

it.each([
  ['Method', '{"jsonrpc":"2.0","id":1,"method":"ping","Method":"tools/call"}'],
  ['paramſ', '{"jsonrpc":"2.0","id":1,"method":"tools/call","paramſ":{"name":"x"}}'],
  ['NAME', '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","NAME":"y"}}'],
  ['Uri', '[{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"x","Uri":"y"}}]'],
  [
    'Name',
    '{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"x","Name":"y"}}}',
  ],
  [
    'ResourceSubscriptions',
    '{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"ResourceSubscriptions":["y"]}}}',
  ],
  ['ID', '{"jsonrpc":"2.0","id":1,"ID":7,"method":"tools/call"}'],
  ['Id', String.raw`{"jsonrpc":"2.0","id":1,"\u0049d":7,"method":"tools/call"}`],
  ['Id', '{"jsonrpc":"2.0","id":1,"Id":7,"result":{}}'],
  ['requestID', '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"requestID":7}}'],
  ['RequestState', '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"requestState":"a","RequestState":"b"}}'],
  [
    'progresstoKen',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{"progressToken":1,"progresstoKen":7}}}',
  ],
  ['ID', `{"jsonrpc":"2.0","id":1,"ID":7,"method":"tools/call","params":{"arguments":{"x":"${'x'.repeat(40_000)}"}}}`],
])('refuses the key %s, which could be taken for another', (key, text) => {
  const refusal = { status: 400, code: -32_600, message: expect.stringContaining(`"${key}"`) }
  expect(read(text, true)).toMatchObject(refusal)
  expect(read(text, false)).toMatchObject(refusal)
})

it('takes any key where only the server gives it a meaning', () => {
  const params = { arguments: { Name: 1, name: 2, ID: 3 }, _meta: { Trace: 1, trace: 2 }, Own: true }
  const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
  expect(texts(text, false)).toEqual([text])
})

it('refuses a batch of more messages than any client has use for, and says how many may be sent', () => {
  const batch = `[${Array(1001).fill('{}').join()}]`
  expect(read(batch, false)).toMatchObject({
    status: 400,
    code: -32_600,
    message: expect.stringContaining('at most 1000'),
  })
})
