import { isDeepStrictEqual } from 'node:util'
import { LineSplitter } from '@toolhaven/gateway/line-splitter'
import { onOneLine, parseJson, parseMessage } from '@toolhaven/gateway/json-rpc'
import { fc } from '@toolhaven/testing/properties'
import { changedText } from '../changed-text.ts'
import { type Json, pureTarget, textOf } from '../target.ts'

const GOOD = [
  '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"x"}}}\n',
  '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"a"}}\r\n',
  '{"jsonrpc":"2.0","id":"a","result":{"content":[{"type":"text","text":"ü\\n"}],"n":12345678901234567890}}\n',
  '{"jsonrpc":"2.0","id":0,"error":{"code":-32000,"message":"no"}}\n{"jsonrpc":"2.0",\n"id":2,"method":"ping"}\n',
]
const WORDS = [
  ...[
    '\n',
    '\r\n',
    '\r',
    '\u2028',
    '\0',
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"',
    '\\',
    '\\u',
    '\\ud83d',
    '🙂',
    '\u00e9',
    'null',
    '1e999',
  ],
  ...['-0', '0.1e-7', '9007199254740993', '"__proto__":{"a":1},', '"id":null,', '"id":1.5,', '"method":1,', '[[[[[[[['],
]
const MAX_BYTES = 4096

interface Split {
  lines: string[]
  oversized: number
}

function split(bytes: Buffer, sizes: readonly number[]): Split {
  const result: Split = { lines: [], oversized: 0 }
  const splitter = new LineSplitter({
    maxBytes: MAX_BYTES,
    onLine: (line) => result.lines.push(line),
    onOversize: () => result.oversized++,
  })
  for (let start = 0, part = 0; start < bytes.length; part++) {
    const end = start + Math.max(1, sizes[part % sizes.length] ?? 1)
    splitter.push(bytes.subarray(start, end))
    start = end
  }
  splitter.end()
  return result
}

function byPlatform(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

/** The kind of a line, after it was compared with `JSON.parse` and sent on. */
function checkLine(line: string): string {
  const ours = parseJson(line)
  const theirs = byPlatform(line)
  // Ours refuses deep nesting, and nothing else.
  if (theirs === undefined && ours !== undefined) throw new Error('what is not JSON was read')
  if (ours === undefined) return theirs === undefined ? 'no JSON' : 'too deep'
  // Ours keeps all digits of long numbers.
  const written = JSON.parse(JSON.stringify(ours.value) ?? 'null')
  if (!isDeepStrictEqual(written, JSON.parse(JSON.stringify(theirs?.value) ?? 'null')))
    throw new Error('a line is not what JSON.parse makes of it')
  const message = parseMessage(line)
  if (message === undefined) return 'no message'
  const sent = onOneLine(message)
  if (/[\r\n]/.test(sent)) throw new Error('a message is sent on in several lines')
  if (parseMessage(sent)?.kind !== message.kind) throw new Error('a message that is sent on is another one')
  return message.kind
}

interface Framed {
  text: string
  sizes: readonly number[]
}

function framedOf(input: Json): Framed {
  if (typeof input !== 'object' || input === null || !('text' in input)) throw new Error('the input must be an object')
  const { text = '', sizes = [] } = input
  return { text: textOf(text), sizes: Array.isArray(sizes) ? sizes.map(Number) : [] }
}

export const framing = pureTarget(
  { name: 'framing', about: 'Lines and JSON-RPC messages of servers, cut anywhere' },
  (seeds) => {
    const texts = seeds.map((seed) => framedOf(seed).text)
    return fc.record(
      {
        text: fc.array(changedText(GOOD, WORDS, texts), { minLength: 1, maxLength: 3 }).map((parts) => parts.join('')),
        sizes: fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 4 }),
      },
      { noNullPrototype: true },
    )
  },
  (input) => {
    const { text, sizes } = framedOf(input)
    const bytes = Buffer.from(text)
    const whole = split(bytes, [bytes.length])
    if (!isDeepStrictEqual(split(bytes, sizes), whole)) throw new Error('the lines depend on how the bytes are cut')
    return [...new Set(whole.lines.map(checkLine)), ...(whole.oversized > 0 ? ['oversized'] : [])].toSorted().join(', ')
  },
)
