import { expect, it } from 'vitest'
import { parse } from './parse.ts'

const read = (text: string, isDecidedOn: boolean) =>
  parse({ isDecidedOn: () => isDecidedOn }).parse?.([Buffer.from(text)])
const texts = (text: string, isDecidedOn: boolean) => {
  const parsed = read(text, isDecidedOn)
  return parsed !== undefined && 'messages' in parsed ? parsed.messages.map((message) => message.text) : parsed
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
  ['{"jsonrpc":"2.0","id":1,"method":"ping","Method":"tools/call"}', 'Method'],
  ['{"jsonrpc":"2.0","id":1,"method":"tools/call","paramſ":{"name":"x"}}', 'paramſ'],
  ['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","NAME":"y"}}', 'NAME'],
  ['[{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"x","Uri":"y"}}]', 'Uri'],
  [
    '{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"x","Name":"y"}}}',
    'Name',
  ],
  [
    '{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"ResourceSubscriptions":["y"]}}}',
    'ResourceSubscriptions',
  ],
])('refuses %s, where one key could be taken for another', (text, key) => {
  expect(read(text, true)).toMatchObject({ status: 400, code: -32_600, message: expect.stringContaining(key) })
  expect(read(text, false)).toMatchObject({ messages: [{}] })
})
