import { invalid } from '@toolhaven/core/errors'
import { MOST_LEVELS } from '@toolhaven/core/json/nesting'
import { parseJson } from '@toolhaven/core/json/strict-json'

export const MAX_BODY_BYTES = 1024 * 1024
const MAX_DEPTH = MOST_LEVELS
/** A limit on the number of values. Each one is validated, and half a million faults took 12 s. */
const MAX_VALUES = 20_000

/** Reads the JSON body. Refuses it as soon as it is too long, ambiguous or too deep. */
export async function readBody(request: Request): Promise<unknown> {
  const text = await readText(request)
  if (text.trim() === '') throw invalid('the body is empty; send a JSON object')
  return parseJson(text, { maxDepth: MAX_DEPTH, maxValues: MAX_VALUES })
}

async function readText(request: Request): Promise<string> {
  const announced = Number(request.headers.get('content-length') ?? 0)
  if (announced > MAX_BODY_BYTES) throw tooLong()
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength
    if (size > MAX_BODY_BYTES) throw tooLong()
    chunks.push(chunk)
  }
  return decode(chunks, size)
}

function decode(chunks: readonly Uint8Array[], size: number): string {
  const whole = new Uint8Array(size)
  let offset = 0
  for (const chunk of chunks) {
    whole.set(chunk, offset)
    offset += chunk.byteLength
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(whole)
  } catch (cause) {
    throw invalid('the body is not valid UTF-8', cause)
  }
}

const tooLong = () => invalid(`the body is longer than ${MAX_BODY_BYTES} bytes (1 MiB), which is the limit`)
