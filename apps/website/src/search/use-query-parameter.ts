import { useHistory, useLocation } from '@docusaurus/router'
import useIsBrowser from '@docusaurus/useIsBrowser'

/** The parameter `q` of the address. Empty in the first render, as it is in the built page, so that both agree. */
export function useQueryParameter(): [query: string, setQuery: (query: string) => void] {
  const history = useHistory()
  const { search, pathname } = useLocation()
  const query = useIsBrowser() ? (new URLSearchParams(search).get('q') ?? '') : ''
  const setQuery = (next: string) => {
    const parameters = new URLSearchParams(next === '' ? {} : { q: next })
    history.replace({ pathname, search: parameters.toString() })
  }
  return [query, setQuery]
}
