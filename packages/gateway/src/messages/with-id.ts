import { isAscii } from 'node:buffer'
import { isObject, parseJson, type LargeLine, type RequestId } from './json-rpc.ts'
import { outlineOf } from './outline.ts'

/**
 * A response as its server wrote it, with another id, so that large results need not be serialized again. Undefined
 * where the id is neither first nor last, as common libraries put it, or where the text is not on one line. Also
 * undefined where there may be a second id: with it the server could answer another call of the same client, unseen by
 * everything that checks that answer.
 */
export function answerWithId(text: string, from: unknown, to: RequestId): string | undefined {
  if (typeof from !== 'number' && typeof from !== 'string') return undefined
  if (text.includes(ESCAPED) || isTwice(text, '"id"')) return undefined
  const former = JSON.stringify(from)
  const isFirst = FIRST.find((start) => text.startsWith(`${start}${former},`))
  const isLast = isFirst === undefined ? LAST.find((start) => text.endsWith(`${start}${former}}`)) : undefined
  if ((isFirst ?? isLast) === undefined || isBroken(text)) return undefined
  if (from === to) return text
  const at = isFirst?.length ?? text.length - 1 - former.length
  return `${text.slice(0, at)}${JSON.stringify(to)}${text.slice(at + former.length)}`
}

const FIRST = ['{"jsonrpc":"2.0","id":', '{"id":']
const LAST = [',"jsonrpc":"2.0","id":', ',"id":']

/**
 * The same for a request of a client, which may be hostile: readers differ about a key that appears twice, and a key
 * can be written with escapes. Then, or when in doubt, the message has to be serialized again from what was judged.
 */
export function requestWithId(text: string, from: RequestId, to: number): string | undefined {
  if (isBroken(text) || text.includes(ESCAPED)) return undefined
  if (ENVELOPE.some((key) => isTwice(text, key))) return undefined
  const former = `"id":${JSON.stringify(from)}`
  const at = text.indexOf(former)
  const behind = text[at + former.length]
  if (at === -1 || (behind !== ',' && behind !== '}')) return undefined
  return `${text.slice(0, at)}"id":${to}${text.slice(at + former.length)}`
}

/**
 * The same for the bytes of a large request, as the parts of a line, which are neither decoded nor copied. The outline
 * lacks only strings that are not keys. Of everything that is searched for, they can only contain characters that end a
 * line for some readers. Without an outline the request must be in one part.
 */
export function requestLine(
  parts: LargeLine,
  from: RequestId,
  to: number,
  outline: string | Buffer = parts[0],
): readonly Buffer[] | undefined {
  if (parts.some(isSeparated) || UNSAFE.some((part) => outline.includes(part))) return undefined
  if (ENVELOPE.some((key) => isTwice(outline, key))) return undefined
  const former = Buffer.from(`"id":${JSON.stringify(from)}`)
  for (const [index, part] of parts.entries()) {
    const at = part.indexOf(former)
    if (at === -1) continue
    const behind = part[at + former.length]
    if (behind !== COMMA && behind !== BRACE) return undefined
    const changed = [part.subarray(0, at), Buffer.from(`"id":${to}`), part.subarray(at + former.length)]
    return [...parts.slice(0, index), ...changed, ...parts.slice(index + 1), NEWLINE]
  }
  return undefined
}

/** Whether a large answer means the same to every reader: only the members of an answer, each once, and on one line. */
export function isPlainAnswer(parts: readonly Buffer[]): boolean {
  const outline = outlineOf(parts)
  const value = outline === undefined ? undefined : parseJson(outline)?.value
  // Serialized again it is the same: no key twice or escaped, and no space.
  return isObject(value) && Object.keys(value).join(' ') === 'jsonrpc id result' && JSON.stringify(value) === outline
}

/** May be another way to write a key. */
const ESCAPED = '\\u00'
const COMMA = 0x2c
const BRACE = 0x7d
const NEWLINE = Buffer.from('\n')
/** Characters that end a line, or that may be another way to write a key. */
const UNSAFE = ['\n', '\r', ESCAPED]
/** Characters that end a line for some readers only, and may be in a string. */
const SEPARATORS = ['\u2028', '\u2029'].map((text) => Buffer.from(text))

const isSeparated = (part: Buffer) => !isAscii(part) && SEPARATORS.some((separator) => part.includes(separator))

const ENVELOPE = ['"id"', '"method"', '"params"', '"_meta"']

function isTwice(text: string | Buffer, key: string): boolean {
  const first = text.indexOf(key)
  return first !== -1 && text.includes(key, first + key.length)
}

const isBroken = (text: string) => text.includes('\n') || text.includes('\r')
