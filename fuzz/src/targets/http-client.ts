import { disagreement, readOne } from '@toolhaven/gateway/testing/compare-answers'
import { madeAnswer } from '@toolhaven/gateway/testing/made-answers'
import { nodeReader } from '@toolhaven/gateway/testing/node-answers'
import { fc } from '@toolhaven/testing/properties'
import { changedText, kindOf } from '../changed-text.ts'
import { type Target, textOf } from '../target.ts'

const GOOD = [
  'HTTP/1.1 200 OK\r\nSet-Cookie: a=b\r\nset-cookie: c=d\r\nContent-Length: 2\r\n\r\nok',
  'HTTP/1.1 200 OK\r\nProxy-Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n',
]
const WORDS = [
  '\r\n',
  '\n',
  '\r',
  ':',
  ' ',
  '\t',
  '\0',
  '\x80',
  '0',
  'f',
  ';a=b',
  ',',
  'chunked',
  'content-length: 2\r\n',
]

export const httpClient: Target = {
  name: 'http-client',
  about: "Our reader of HTTP answers against Node's client, on the same bytes",
  async open(seeds) {
    const node = await nodeReader()
    return {
      inputs: fc.oneof({ weight: 3, arbitrary: madeAnswer }, { weight: 1, arbitrary: latin(GOOD, seeds) }),
      async check(input) {
        const text = textOf(input)
        const bytes = Buffer.from(text, 'latin1')
        const ours = readOne(bytes, [1])
        const whole = readOne(bytes, [Math.max(1, bytes.length)])
        if (JSON.stringify(whole.answer) !== JSON.stringify(ours.answer))
          throw new Error('the answer depends on how its bytes are cut')
        const nodes = await node.read(bytes)
        const different = disagreement(text, ours, nodes)
        if (different !== undefined) throw new Error(different)
        return ours.refusal === undefined ? `read: ${ours.answer?.status}` : `refused: ${kindOf(ours.refusal)}`
      },
      [Symbol.asyncDispose]: () => node[Symbol.asyncDispose](),
    }
  },
}

/** Bytes are written as latin1. */
function latin(good: readonly string[], seeds: Parameters<Target['open']>[0]): fc.Arbitrary<string> {
  return changedText(good, WORDS, seeds).map((text) => text.replaceAll(/[^\0-\xff]/g, '\xff'))
}
