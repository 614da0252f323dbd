import { fstatSync } from 'node:fs'
import { text } from 'node:stream/consumers'

/** What was piped in, without the newline at its end; undefined when nothing is piped (a terminal, /dev/null). */
export async function readPipe(): Promise<string | undefined> {
  if (!isPiped()) return undefined
  return (await text(process.stdin)).replace(/\r?\n$/, '')
}

function isPiped(): boolean {
  try {
    const stdin = fstatSync(0)
    return stdin.isFIFO() || stdin.isFile() || stdin.isSocket()
  } catch {
    return false // closed by the caller
  }
}
