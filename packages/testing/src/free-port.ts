import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** Below the ports that Linux and macOS assign themselves: no test that listens on port 0 gets one of these. */
const FIRST = 15_000
const LAST = 32_000
const TRIES = 50

/** A port that nobody listens on now, and that no other test will get by chance in the next moment. */
export async function freePort(): Promise<number> {
  for (let tried = 0; tried < TRIES; tried += 1) {
    const port = randomInt(FIRST, LAST)
    if (await isFree(port)) return port
  }
  throw new Error(`${TRIES} ports were tried and all of them are taken`)
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch {
    return false // Taken.
  }
  server.close()
  await once(server, 'close')
  return true
}
