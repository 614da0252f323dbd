import { fileURLToPath } from 'node:url'
import { childServer, type ChildServer } from './child-channel.ts'

/** A process that does what its calls say, step by step, not started yet. */
export function obedientServer(): ChildServer {
  return childServer([], {}, fileURLToPath(new URL('obedient-server.ts', import.meta.url)))
}
