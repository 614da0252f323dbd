export interface ViewedItem {
  objectID: string
  queryID?: string | undefined
}

export interface ViewEvents {
  add: (items: readonly ViewedItem[]) => void
}

const BATCH = 20
const DEBOUNCE_MS = 400

/** Reports which hits were seen: once nothing new has been seen for a while, in batches. Nothing is sent without an address. */
export function createViewEvents(settings: { eventsUrl?: string; indexName: string }): ViewEvents {
  const { eventsUrl, indexName } = settings
  if (eventsUrl === undefined) return { add: () => undefined }
  let waiting: ViewedItem[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  const flush = () => {
    const items = waiting
    waiting = []
    for (let at = 0; at < items.length; at += BATCH) send(eventsUrl, indexName, items.slice(at, at + BATCH))
  }
  return {
    add: (items) => {
      if (items.length === 0) return
      waiting = [...waiting, ...items]
      clearTimeout(timer)
      timer = setTimeout(flush, DEBOUNCE_MS)
    },
  }
}

function send(eventsUrl: string, index: string, items: readonly ViewedItem[]): void {
  const events = [...Map.groupBy(items, ({ queryID }) => queryID)].map(([queryID, members]) => ({
    eventType: 'view',
    eventName: 'Items Viewed',
    index,
    ...(queryID === undefined ? {} : { queryID }),
    objectIDs: members.map(({ objectID }) => objectID),
    timestamp: Date.now(),
  }))
  // Text, so that no preflight is needed; kept alive, so that leaving the page does not lose it.
  const request = { method: 'POST', body: JSON.stringify({ events }), keepalive: true } as const
  // A lost event must not disturb the visitor.
  fetch(eventsUrl, request).catch(() => undefined)
}
