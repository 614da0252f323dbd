import { outcomeOf } from './audit/record.ts'
import { isObject } from '../../messages/json-rpc.ts'
import type { Observer } from './observer.ts'

/**
 * Writes each request of a client to the log of the workload: what it asked for and how it ended, never its arguments.
 */
export function debug(write: (line: string) => void): Observer {
  return {
    name: 'debug',
    watch({ method, params }) {
      const since = performance.now()
      const target = isObject(params) && typeof params['name'] === 'string' ? ` ${shorten(params['name'])}` : ''
      return {
        onEnd: (response, refusedBy) => {
          const by = refusedBy === undefined ? '' : ` by ${refusedBy}`
          const ms = Math.round(performance.now() - since)
          write(`toolhaven: ${shorten(method)}${target}: ${outcomeOf(response, refusedBy)}${by} after ${ms} ms`)
        },
      }
    },
  }
}

/** Clients choose these words: they must stay on one line. */
const shorten = (text: string) => text.replaceAll(/\p{Cc}/gu, '?').slice(0, 100)
