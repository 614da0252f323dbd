import type { Cache } from '@algolia/client-common'

/** A host that failed is left alone for this long. */
const DOWN_MS = 120_000

type Status = 'up' | 'down' | 'timed out'

interface Health {
  status: Status
  lastUpdate: number
}

export interface HostMemory extends Cache {
  /** To be told when the host of this address has answered. */
  noteAnswer: (address: string) => void
}

/**
 * Remembers which hosts failed, across searches and page loads. The client's own memory stores a failure under a key
 * that it never reads again, so a dead host would be tried anew for every key pressed.
 */
export function createHostMemory(storage: Storage | undefined, storageKey: string): HostMemory {
  let memory: Record<string, Health> = {}
  const read = () => readStored(storage, storageKey) ?? memory
  const write = (next: Record<string, Health>) => {
    memory = next
    try {
      storage?.setItem(storageKey, JSON.stringify(next))
    } catch {
      // Full or forbidden: what this page remembers is enough.
    }
  }
  const forget = (id: string) => write(Object.fromEntries(Object.entries(read()).filter(([key]) => key !== id)))
  return {
    get: async (key, defaultValue) => {
      const value = await defaultValue()
      const health = read()[idOf(key)]
      if (health === undefined) return value
      const isFresh = () => Date.now() - health.lastUpdate <= DOWN_MS
      const isUp = () => health.status === 'up' || !isFresh()
      return { ...value, ...health, isUp, isTimedOut: () => health.status === 'timed out' && isFresh() }
    },
    set: async (key, value) => {
      const health = toHealth(value)
      if (health !== undefined) write({ ...read(), [idOf(key)]: health })
      return value
    },
    delete: async (key) => forget(idOf(key)),
    clear: async () => write({}),
    noteAnswer: (address) => {
      const failed = Object.keys(read()).find((id) => address.startsWith(`${id}/`))
      if (failed !== undefined) forget(failed)
    },
  }
}

/** The client passes a host, sometimes with its state; only what identifies the host may be in the key. */
function idOf(key: Record<string, unknown> | string): string {
  if (typeof key === 'string') return key
  const read = (name: string) => (typeof key[name] === 'string' || typeof key[name] === 'number' ? `${key[name]}` : '')
  return `${read('protocol')}://${read('url')}${read('port') === '' ? '' : `:${read('port')}`}`
}

function readStored(storage: Storage | undefined, key: string): Record<string, Health> | undefined {
  try {
    const stored: unknown = JSON.parse(storage?.getItem(key) ?? 'null')
    if (typeof stored !== 'object' || stored === null) return undefined
    return Object.fromEntries(
      Object.entries(stored).flatMap(([id, value]) => {
        const health = toHealth(value)
        return health === undefined ? [] : [[id, health]]
      }),
    )
  } catch {
    return undefined // not ours, or storage is forbidden
  }
}

function toHealth(value: unknown): Health | undefined {
  if (typeof value !== 'object' || value === null || !('status' in value) || !('lastUpdate' in value)) return undefined
  const { status, lastUpdate } = value
  const isStatus = status === 'up' || status === 'down' || status === 'timed out'
  return isStatus && typeof lastUpdate === 'number' ? { status, lastUpdate } : undefined
}
