import { fstatSync } from 'node:fs'
import { buffer } from 'node:stream/consumers'
import { decodeText } from './decode-text.ts'

/** The piped input, without its final newline. Undefined if nothing is piped (a terminal, /dev/null). */
export async function readPipe(): Promise<string | undefined> {
  if (!isPiped()) return undefined
  return decodeText(await buffer(process.stdin), 'standard input').replace(/\r?\n$/, '')
}

function isPiped(): boolean {
  try {
    const stdin = fstatSync(0)
    return stdin.isFIFO() || stdin.isFile() || stdin.isSocket()
  } catch {
    return false // closed by the caller
  }
}
