import type { ChangeEvent, WorkloadEvent } from '@toolhaven/contract/events'
import type { RecordStore } from './ports/stores.ts'

export interface EventBus<Event = WorkloadEvent> {
  publish(event: Event): void
  subscribe(listener: (event: Event) => void): () => void
}

/** Called for every change that is not the status of a workload. */
export type Announce = (change: ChangeEvent) => void

export function createEventBus<Event>(): EventBus<Event> {
  const listeners = new Set<(event: Event) => void>()
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

/** Wraps the store so that it announces each changed record. It announces failed writes too, because the change holds in memory. */
export function announcing<T extends { name: string }>(
  store: RecordStore<T>,
  about: ChangeEvent['about'],
  announce: Announce,
): RecordStore<T> {
  return {
    load: () => store.load(),
    save: (record) => store.save(record).finally(() => announce({ about, name: record.name })),
    remove: (name) => store.remove(name).finally(() => announce({ about, name })),
    ...(store.unreadable && { unreadable: () => store.unreadable?.() ?? new Map<string, string>() }),
  }
}
