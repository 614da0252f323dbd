import { type AutocompleteState, createAutocomplete } from '@algolia/autocomplete-core'
import { type KeyboardEvent, type MouseEvent, type SyntheticEvent, useMemo, useRef, useState } from 'react'
import { groupHits } from './group-hits'
import { type Hit, sectionOf } from './hit'
import { findHits, type Query } from './search-request'
import type { SearchSession } from './search-session'
import type { SearchSettings } from './search-settings'

export interface SearchSetup {
  session: SearchSession
  settings: SearchSettings
  facetFilters: Query['facetFilters']
  /** Goes to a hit on this site, without loading the page anew. */
  navigate: (url: string) => void
  close: () => void
}

type State = AutocompleteState<Hit>
export type Autocomplete = ReturnType<typeof createSearch>

const START: State = {
  collections: [],
  completion: null,
  context: {},
  isOpen: false,
  query: '',
  activeItemId: null,
  status: 'idle',
}

/** The state of the search and what drives it. The status is `error` from a failure until the query changes. */
export function useSearch(setup: SearchSetup) {
  const [state, setState] = useState<State>(START)
  const [failedQuery, setFailedQuery] = useState<string>()
  const [total, setTotal] = useState(0)
  // The library keeps the functions of the first render; they must still see the setup of the last one.
  const latest = useRef(setup)
  latest.current = setup
  const autocomplete = useMemo(
    () => createSearch({ setup: () => latest.current, setState, setFailedQuery, setTotal }),
    [],
  )
  const status = failedQuery !== undefined && failedQuery === state.query ? 'error' : state.status
  const hasHits = state.collections.some(({ source, items }) => source.sourceId.startsWith('hits ') && items.length > 0)
  const hasActive =
    state.isOpen && state.activeItemId !== null && state.collections.some(({ items }) => items.length > 0)
  const clear = () => {
    autocomplete.setQuery('')
    autocomplete.setCollections([])
    autocomplete.setActiveItemId(null)
    autocomplete.setStatus('idle')
  }
  return { autocomplete, state, status, total, hasHits, hasActive, clear } as const
}

export type Search = ReturnType<typeof useSearch>

interface Wiring {
  setup: () => SearchSetup
  setState: (state: State) => void
  setFailedQuery: (query: string | undefined) => void
  setTotal: (total: number) => void
}

function createSearch({ setup, setState, setFailedQuery, setTotal }: Wiring) {
  let current = ''
  const ask = async (query: string): Promise<Hit[]> => {
    try {
      const found = await search(setup(), query)
      if (current === query) setTotal(found.nbHits)
      return found.hits
    } catch {
      // An error that reaches the library ends as `idle`, so it is kept here; a newer query has its own outcome.
      if (current === query) setFailedQuery(query)
      return []
    }
  }
  return createAutocomplete<Hit, SyntheticEvent, MouseEvent, KeyboardEvent>({
    id: 'site-search',
    defaultActiveItemId: 0,
    openOnFocus: true,
    stallThreshold: 300,
    // Otherwise a hosted answer may make the library load a script from elsewhere.
    insights: false,
    shouldPanelOpen: () => true,
    navigator: { navigate: ({ itemUrl }) => setup().navigate(itemUrl) },
    onStateChange: ({ state, prevState }) => {
      current = state.query
      if (state.query !== prevState.query) setFailedQuery(undefined)
      setState(state)
    },
    getSources: async ({ query }) => {
      const { session, settings } = setup()
      if (query === '') {
        const lists = [
          ['recent', session.saved.recent()],
          ['favourites', session.saved.favourites()],
        ] as const
        return lists.filter(([, hits]) => hits.length > 0).map(([name, hits]) => createSource(name, hits, setup))
      }
      const groups = groupHits(await ask(query), settings.hitsPerGroup)
      return groups.map(({ section, hits }) => createSource(`hits ${section}`, hits, setup))
    },
  })
}

function createSource(sourceId: string, items: Hit[], setup: () => SearchSetup) {
  return {
    sourceId,
    getItems: () => items,
    getItemUrl: ({ item }: { item: Hit }) => item.url,
    onSelect: ({ item, event }: { item: Hit; event: unknown }) => {
      const { session, close } = setup()
      session.saved.visit(item)
      if (!isForAnotherPlace(event)) close()
    },
  }
}

/** A new tab or window: the search stays open here. */
export function isForAnotherPlace(event: unknown): boolean {
  const keys = ['ctrlKey', 'metaKey', 'shiftKey', 'altKey']
  return typeof event === 'object' && event !== null && Object.entries(pick(event, keys)).some(([, isDown]) => isDown)
}

function pick(event: object, names: readonly string[]): Record<string, boolean> {
  return Object.fromEntries(names.map((name) => [name, Reflect.get(event, name) === true]))
}

async function search({ session, settings, facetFilters }: SearchSetup, query: string) {
  const { indexName, eventsUrl, hitsPerGroup } = settings
  const common = { indexName, facetFilters, clickAnalytics: eventsUrl !== undefined }
  const found = await findHits(session.client, { ...common, query })
  for (const hit of found.hits) session.sections.add(sectionOf(hit))
  const shown = groupHits(found.hits, hitsPerGroup).flatMap(({ hits }) => hits)
  session.events.add(shown.map(({ objectID }) => ({ objectID, queryID: found.queryID })))
  // Nothing found and nothing known to suggest: a search for nothing tells which sections there are.
  if (found.hits.length === 0 && session.sections.size === 0) {
    const all = await findHits(session.client, { ...common, query: '' })
    for (const hit of all.hits) session.sections.add(sectionOf(hit))
  }
  return found
}
