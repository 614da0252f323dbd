import type { ReactElement, RefObject } from 'react'
import { ErrorScreen, NoResultsScreen } from './message-screens'
import { ResultsScreen } from './results-screen'
import type { SearchSession } from './search-session'
import type { SearchSettings } from './search-settings'
import { StartScreen } from './start-screen'
import type { Search } from './use-search'

interface Props {
  search: Search
  session: SearchSession
  settings: SearchSettings
  navigate: (url: string) => void
  input: RefObject<HTMLInputElement | null>
}

/** What the panel shows: saved searches, hits, or what went wrong. While the first answer is awaited, nothing. */
export function SearchScreens({ search, session, settings, navigate, input }: Props): ReactElement | null {
  const { autocomplete, state, status, hasHits } = search
  if (state.query === '') return <StartScreen {...{ autocomplete, state, saved: session.saved, navigate, input }} />
  if (status === 'error') return <ErrorScreen />
  if (hasHits) return <ResultsScreen {...{ autocomplete, state, navigate }} />
  if (status !== 'idle') return null
  const prefill = (query: string) => {
    autocomplete.setQuery(query)
    void autocomplete.refresh()
    input.current?.focus()
  }
  const missingUrl = settings.missingResultsUrl?.replace('{query}', () => encodeURIComponent(state.query))
  return <NoResultsScreen query={state.query} sections={session.sections} missingUrl={missingUrl} search={prefill} />
}
