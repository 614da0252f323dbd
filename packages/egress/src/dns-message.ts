import { type Answer, decode, encode, type Question, RECURSION_AVAILABLE, TRUNCATED_RESPONSE } from 'dns-packet'

/** RFC 1035 and 6895. */
export const RCODE = { noError: 0, formatError: 1, serverFailure: 2, noSuchName: 3, notImplemented: 4 } as const
export type Rcode = (typeof RCODE)[keyof typeof RCODE]

export interface DnsQuestion {
  id: number
  /** Undefined if the message does not have exactly one question. */
  question: Question | undefined
  /** The maximum length of an answer that the program accepts. */
  longestAnswer: number
  isRecursionDesired: boolean
}

/** No program sends a longer question. */
export const LONGEST_QUESTION = 1_232
const HEADER_BYTES = 12
const SHORTEST_LIMIT = 512
const LONGEST_LIMIT = 4_096

/** Undefined if it is not a DNS query, so that it cannot be answered. */
export function readQuestion(message: Buffer): DnsQuestion | undefined {
  if (message.length < HEADER_BYTES || message.length > LONGEST_QUESTION) return undefined
  const [id, flags, questions] = [message.readUInt16BE(0), message.readUInt16BE(2), message.readUInt16BE(4)]
  const [isAnswer, opcode, isRecursionDesired] = [flags >> 15 === 1, (flags >> 11) & 15, (flags & 0x100) !== 0]
  if (isAnswer) return undefined
  const question = opcode === 0 && questions === 1 ? firstQuestion(message) : undefined
  return { id, question, longestAnswer: longestAnswer(message), isRecursionDesired }
}

/** Reads only the question, whatever else the message claims to contain. */
function firstQuestion(message: Buffer): Question | undefined {
  const alone = Buffer.from(message)
  alone.fill(0, 6, HEADER_BYTES)
  try {
    return decode(alone).questions?.[0]
  } catch {
    return undefined
  }
}

/** RFC 6891: a program announces that it accepts more than 512 bytes. */
function longestAnswer(message: Buffer): number {
  try {
    const option = decode(message).additionals?.find((each) => each.type === 'OPT')
    const announced = option?.type === 'OPT' ? option.udpPayloadSize : 0
    return Math.min(Math.max(announced, SHORTEST_LIMIT), LONGEST_LIMIT)
  } catch {
    return SHORTEST_LIMIT
  }
}

/** Includes as many answers as the program accepts. If some are missing, sets the truncation flag. */
export function writeAnswer(asked: DnsQuestion, rcode: Rcode, answers: readonly Answer[] = []): Buffer {
  const { id, question, longestAnswer: longest, isRecursionDesired } = asked
  const flags = RECURSION_AVAILABLE | (isRecursionDesired ? 0x100 : 0) | rcode
  const questions = question === undefined ? [] : [question]
  const written = (count: number) =>
    encode({
      ...{ type: 'response', id, questions, answers: answers.slice(0, count) },
      flags: count < answers.length ? flags | TRUNCATED_RESPONSE : flags,
    })
  let count = answers.length
  let message = written(count)
  while (message.length > longest && count > 0) message = written((count -= 1))
  return message
}
