import type { WorkloadEvent } from '@toolhaven/contract/system'

export interface EventBus {
  publish(event: WorkloadEvent): void
  subscribe(listener: (event: WorkloadEvent) => void): () => void
}

export function createEventBus(): EventBus {
  const listeners = new Set<(event: WorkloadEvent) => void>()
  return {
    publish: (event) => {
      for (const listener of listeners) listener(event)
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
