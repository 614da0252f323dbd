import { isDeepStrictEqual } from 'node:util'
import { MalformedAnswer } from '../../src/http/client/answer-head.ts'
import { AnswerReader } from '../../src/http/client/answer-reader.ts'
import type { ReadAnswer } from './node-answers.ts'

export interface Reading {
  answer: ReadAnswer | undefined
  keptMs: number
  refusal: string | undefined
}

/** What our reader refuses and Node does not, each with the answers that it applies to. */
const STRICTER: readonly { refusal: string; isAbout: RegExp }[] = [
  // Empty lines before it, versions that do not exist, statuses below 100, control characters.
  {
    refusal: 'its first line is not a status line',
    isAbout: /^[\r\n]|HTTP\/(?:0\.9|2\.0) |HTTP\/1\.[01] (?:0|[^\r\n]*[^\t\r\n\x20-\x7e\x80-\xff])/,
  },
  { refusal: 'it changes to a protocol that was not requested', isAbout: /HTTP\/1\.[01] 101/ },
  // Other encodings, and the same one twice.
  { refusal: 'its transfer-encoding is not chunked', isAbout: /transfer-encoding:(?![\t ]*chunked[\t ]*\r\n)/i },
  {
    refusal: 'it has more than one content-length or transfer-encoding',
    isAbout: /transfer-encoding:[^]*transfer-encoding:/i,
  },
  { refusal: 'it has transfer-encoding among its trailers', isAbout: /\r\n0[^]*transfer-encoding:/i },
  { refusal: 'its content-length is not a number', isAbout: /content-length:[\t ]*[0-9]{16}/i },
  // Extensions that have no name or no value.
  { refusal: 'a chunk does not begin with its size', isAbout: /\r\n[0-9a-f]+;/i },
  // The answer itself was read.
  { refusal: 'it came without having been asked for', isAbout: /^/ },
]

export function disagreement(text: string, ours: Reading, nodes: ReadAnswer | undefined): string | undefined {
  const { answer, refusal } = ours
  if (nodes === undefined) return refusal === undefined ? 'Node refuses it' : undefined
  if (answer !== undefined && !isDeepStrictEqual(answer, plain(nodes))) return `Node reads ${JSON.stringify(nodes)}`
  if (refusal === undefined) return answer === undefined ? 'there is no answer' : undefined
  const isKnown = STRICTER.some((rule) => refusal.endsWith(rule.refusal) && rule.isAbout.test(text))
  return isKnown ? undefined : `Node takes it: ${refusal}`
}

export const readOne = (bytes: Buffer, sizes: readonly number[]) => readWith(new AnswerReader(), bytes, sizes, true)

export function readWith(reader: AnswerReader, bytes: Buffer, sizes: readonly number[], isLast: boolean): Reading {
  const reading: Reading = { answer: undefined, keptMs: 0, refusal: undefined }
  let begun: ReadAnswer | undefined
  reader.expect({
    onHead: ({ status, headers }) => {
      begun = { status, headers, body: '' }
    },
    onData: (part) => {
      if (begun !== undefined) begun.body += part.toString('latin1')
    },
    onEnd: (keptMs) => {
      reading.answer = begun && plain(begun)
      reading.keptMs = keptMs
    },
  })
  try {
    for (let i = 0, start = 0; start < bytes.length; i++) {
      const end = start + (sizes[i % sizes.length] ?? 1)
      reader.push(bytes.subarray(start, end))
      start = end
    }
    if (isLast && !reader.close()) reading.refusal = 'it breaks off'
  } catch (error) {
    if (!(error instanceof MalformedAnswer)) throw error
    reading.refusal = error.message
  }
  return reading
}

/** Copies without class or frozen parts. */
export function plain({ status, headers, body }: ReadAnswer): ReadAnswer {
  return { status, headers: { ...headers }, body }
}
