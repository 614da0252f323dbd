import { type PlainHit, toPlainHit } from './hit'

const MAX_RECENT = 7
const MAX_RECENT_BESIDE_FAVOURITES = 4
const MAX_FAVOURITES = 10

export interface SavedSearches {
  recent: () => PlainHit[]
  favourites: () => PlainHit[]
  /** Puts a hit first among the recent ones, unless it is a favourite. */
  visit: (hit: PlainHit) => void
  forget: (hit: PlainHit) => void
  /** Moves a hit from the recent ones to the favourites. */
  favour: (hit: PlainHit) => void
  unfavour: (hit: PlainHit) => void
}

/** The hits that the visitor opened, newest first, and those kept as favourites, in the storage of the browser. */
export function createSavedSearches(storage: Storage | undefined, indexName: string): SavedSearches {
  const recent = createList(storage, `__DOCSEARCH_RECENT_SEARCHES__${indexName}`)
  const favourites = createList(storage, `__DOCSEARCH_FAVORITE_SEARCHES__${indexName}`)
  const writeRecent = (hits: readonly PlainHit[]) =>
    recent.write(hits.slice(0, favourites.read().length > 0 ? MAX_RECENT_BESIDE_FAVOURITES : MAX_RECENT))
  return {
    recent: recent.read,
    favourites: favourites.read,
    visit: (hit) => {
      if (!has(favourites.read(), hit)) writeRecent([toPlainHit(hit), ...without(recent.read(), hit)])
    },
    forget: (hit) => writeRecent(without(recent.read(), hit)),
    favour: (hit) => {
      favourites.write([toPlainHit(hit), ...without(favourites.read(), hit)].slice(0, MAX_FAVOURITES))
      writeRecent(without(recent.read(), hit))
    },
    unfavour: (hit) => favourites.write(without(favourites.read(), hit)),
  }
}

function createList(storage: Storage | undefined, key: string) {
  let memory: PlainHit[] = []
  return {
    read: (): PlainHit[] => readStored(storage, key) ?? memory,
    write: (hits: readonly PlainHit[]) => {
      memory = [...hits]
      try {
        storage?.setItem(key, JSON.stringify(hits))
      } catch {
        // Full or forbidden: the list lives as long as the page.
      }
    },
  }
}

function readStored(storage: Storage | undefined, key: string): PlainHit[] | undefined {
  try {
    const stored: unknown = JSON.parse(storage?.getItem(key) ?? 'null')
    return Array.isArray(stored) ? stored.filter(isHit) : undefined
  } catch {
    return undefined // not ours, or storage is forbidden
  }
}

function isHit(value: unknown): value is PlainHit {
  return (
    typeof value === 'object' &&
    value !== null &&
    'objectID' in value &&
    'url' in value &&
    typeof value.url === 'string' &&
    'hierarchy' in value &&
    typeof value.hierarchy === 'object'
  )
}

const has = (hits: readonly PlainHit[], hit: PlainHit) => hits.some(({ objectID }) => objectID === hit.objectID)
const without = (hits: readonly PlainHit[], hit: PlainHit) => hits.filter(({ objectID }) => objectID !== hit.objectID)
