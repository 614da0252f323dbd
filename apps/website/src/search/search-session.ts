import { createSavedSearches, type SavedSearches } from './saved-searches'
import { createSearchClient, type SearchClient, type SearchClientOptions } from './search-client'
import type { SearchSettings } from './search-settings'
import { createViewEvents, type ViewEvents } from './view-events'

/** What lasts from one opening of the search to the next, as long as the page is loaded. */
export interface SearchSession {
  client: SearchClient
  saved: SavedSearches
  events: ViewEvents
  /** Names of the sections that hits were seen in, for suggestions. */
  sections: Set<string>
}

/** The navigation bar is made anew on some page changes; the configuration is one object for as long as the page lives. */
const sessions = new WeakMap<SearchSettings, SearchSession>()

export function searchSession(settings: SearchSettings, baseUrl: string): SearchSession {
  const known = sessions.get(settings)
  if (known !== undefined) return known
  const storage = browserStorage()
  const session: SearchSession = {
    client: createSearchClient({ ...settings, hosts: hostsOf(settings, baseUrl), storage }),
    saved: createSavedSearches(storage, settings.indexName),
    events: createViewEvents(settings),
    sections: new Set(),
  }
  sessions.set(settings, session)
  return session
}

/** The embedded search answers where the pages come from, unless the configuration says otherwise. */
function hostsOf({ backend, hosts }: SearchSettings, baseUrl: string): SearchClientOptions['hosts'] {
  if (backend === 'hosted' || hosts.length > 0) return hosts
  const { host, protocol } = window.location
  const own = {
    url: `${host}${baseUrl.replace(/\/$/, '')}`,
    protocol: protocol === 'http:' ? 'http' : 'https',
  } as const
  // Three times, as there is no other to go to: on a slow connection the second attempt waits longer, the third longer still.
  return [own, own, own]
}

function browserStorage(): Storage | undefined {
  try {
    return window.localStorage
  } catch {
    return undefined // forbidden by the visitor: everything works, nothing is kept
  }
}
