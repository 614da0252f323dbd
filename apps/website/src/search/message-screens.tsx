import type { ReactElement } from 'react'
import styles from './search-modal.module.css'

export function ErrorScreen(): ReactElement {
  return (
    <div className={styles.message} role="alert">
      <p className={styles.messageTitle}>Unable to fetch results</p>
      <p>You might want to check your network connection.</p>
    </div>
  )
}

interface NoResultsProps {
  query: string
  sections: ReadonlySet<string>
  missingUrl: string | undefined
  search: (query: string) => void
}

const MAX_SUGGESTIONS = 3

export function NoResultsScreen({ query, sections, missingUrl, search }: NoResultsProps): ReactElement {
  const suggestions = [...sections].filter((name) => name !== query).slice(0, MAX_SUGGESTIONS)
  return (
    <div className={styles.message}>
      <p className={styles.messageTitle} role="status">
        No results for "<strong>{query}</strong>"
      </p>
      {suggestions.length > 0 && (
        <>
          <p>Try searching for:</p>
          <ul className={styles.suggestions}>
            {suggestions.map((name) => (
              <li key={name}>
                <button type="button" onClick={() => search(name)}>
                  {name}
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
      {missingUrl !== undefined && (
        <p>
          Believe this query should return results?{' '}
          <a href={missingUrl} target="_blank" rel="noopener noreferrer">
            Let us know.
          </a>
        </p>
      )}
    </div>
  )
}
