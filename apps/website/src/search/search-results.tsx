import Link from '@docusaurus/Link'
import useDocusaurusContext from '@docusaurus/useDocusaurusContext'
import { type ReactElement, useEffect, useState } from 'react'
import { type Hit, LEVELS, titleOf } from './hit'
import { MarkedText } from './marked-text'
import { findHits, useContextualFilters } from './search-request'
import styles from './search-results.module.css'
import { searchSession } from './search-session'
import { useSearchSettings } from './search-settings'

type Outcome =
  | { state: 'loading'; query: string }
  | { state: 'failed'; query: string }
  | { state: 'found'; query: string; hits: Hit[]; total: number; pages: number }

/** The results for a query, twenty at a time. */
export function SearchResults({ query }: { query: string }): ReactElement | null {
  const [outcome, more] = useResults(query)
  if (query === '' || outcome.query !== query || outcome.state === 'loading') return null
  if (outcome.state === 'failed') {
    return (
      <div role="alert" className={styles.message}>
        <p className={styles.title}>Unable to fetch results</p>
        <p>You might want to check your network connection.</p>
      </div>
    )
  }
  const { hits, total } = outcome
  return (
    <>
      <p role="status" className={styles.count}>
        {total === 0 ? `No results for "${query}"` : `${total} ${total === 1 ? 'result' : 'results'}`}
      </p>
      <ol className={styles.list}>
        {hits.map((hit) => (
          <li key={hit.objectID}>
            <Result hit={hit} />
          </li>
        ))}
      </ol>
      {hits.length < total && (
        <button type="button" className="button button--secondary" onClick={more}>
          Show more results
        </button>
      )}
    </>
  )
}

function Result({ hit }: { hit: Hit }): ReactElement {
  const heading = LEVELS.findLast((level) => level !== 'lvl0' && (hit.hierarchy[level] ?? '') !== '') ?? 'lvl1'
  const trail = LEVELS.slice(0, LEVELS.indexOf(heading)).flatMap((level) => hit.hierarchy[level] ?? [])
  const marked = hit._highlightResult?.hierarchy?.[heading]?.value
  return (
    <article>
      <h2 className={styles.title}>
        <Link to={hit.url}>{marked === undefined ? hit.hierarchy[heading] : <MarkedText html={marked} />}</Link>
      </h2>
      <nav aria-label="Breadcrumbs" className={styles.trail}>
        {trail.join(' › ')}
      </nav>
      {hit.type === 'content' && (
        <p className={styles.snippet}>
          <MarkedText html={titleOf(hit)} />
        </p>
      )}
    </article>
  )
}

function useResults(query: string): [Outcome, more: () => void] {
  const settings = useSearchSettings()
  const { baseUrl } = useDocusaurusContext().siteConfig
  const filters = JSON.stringify(useContextualFilters())
  const [outcome, setOutcome] = useState<Outcome>({ state: 'loading', query: '' })
  const fetchPage = (page: number) =>
    findHits(searchSession(settings, baseUrl).client, {
      query,
      page,
      indexName: settings.indexName,
      facetFilters: JSON.parse(filters),
      clickAnalytics: false,
    })
  useEffect(() => {
    if (query === '') return
    let isCurrent = true
    const show = (next: Outcome) => isCurrent && setOutcome(next)
    fetchPage(0).then(
      ({ hits, nbHits }) => show({ state: 'found', query, hits, total: nbHits, pages: 1 }),
      () => show({ state: 'failed', query }),
    )
    return () => {
      isCurrent = false
    }
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- fetchPage is made anew in every render
  }, [query, filters])
  const more = () => {
    if (outcome.state !== 'found') return
    const { hits, pages } = outcome
    fetchPage(pages).then(
      (found) => setOutcome({ ...outcome, hits: [...hits, ...found.hits], pages: pages + 1 }),
      () => setOutcome({ state: 'failed', query }),
    )
  }
  return [outcome, more]
}
