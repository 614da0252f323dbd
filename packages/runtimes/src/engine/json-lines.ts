import type { IncomingMessage } from 'node:http'
import { brokenOff } from './engine-client.ts'

/** The values of a stream of JSON texts, one per line, as the engine sends events and progress. */
export async function* jsonLines(
  label: string,
  response: IncomingMessage,
  signal: AbortSignal,
): AsyncGenerator<unknown> {
  let rest = ''
  response.setEncoding('utf8')
  try {
    for await (const chunk of response) {
      const lines = (rest + String(chunk)).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) if (line.trim() !== '') yield JSON.parse(line)
    }
  } catch (cause) {
    throw brokenOff(label, cause, signal)
  } finally {
    response.destroy()
  }
  if (rest.trim() !== '') yield JSON.parse(rest)
}
