import type { AutocompleteState } from '@algolia/autocomplete-core'
import type { ReactElement, RefObject } from 'react'
import type { Hit } from './hit'
import { HitLink } from './results-screen'
import type { SavedSearches } from './saved-searches'
import styles from './search-modal.module.css'
import type { Autocomplete } from './use-search'

interface Props {
  autocomplete: Autocomplete
  state: AutocompleteState<Hit>
  saved: SavedSearches
  navigate: (url: string) => void
  input: RefObject<HTMLInputElement | null>
}

const TITLES: Readonly<Record<string, string>> = { recent: 'Recent', favourites: 'Favorite' }

export function StartScreen({ autocomplete, state, saved, navigate, input }: Props): ReactElement {
  const lists = state.collections.filter(({ source, items }) => source.sourceId in TITLES && items.length > 0)
  if (lists.length === 0) return <p className={styles.message}>No recent searches</p>
  const change = (act: (hit: Hit) => void, hit: Hit) => {
    act(hit)
    // The button goes with its row; the next key must still arrive somewhere.
    input.current?.focus()
    void autocomplete.refresh()
  }
  return (
    <>
      {lists.map(({ source, items }) => {
        const list = autocomplete.getListProps({ source })
        const isRecent = source.sourceId === 'recent'
        return (
          <section key={source.sourceId} className={styles.group}>
            <div className={styles.groupName} id={`${list.id}-name`}>
              {TITLES[source.sourceId]}
            </div>
            <div className={styles.saved}>
              <ul {...list} className={styles.list} aria-labelledby={`${list.id}-name`}>
                {items.map((item) => (
                  <li key={item.objectID} role="none">
                    <HitLink {...{ autocomplete, item, source, navigate }} />
                  </li>
                ))}
              </ul>
              {/* Beside the list, not in it: an option can hold no buttons. */}
              <ul className={styles.actions}>
                {items.map((item) => (
                  <li key={item.objectID} data-actions-of={autocomplete.getItemProps({ item, source }).id}>
                    {isRecent && (
                      <button
                        type="button"
                        onClick={() => change(saved.favour, item)}
                        aria-label={`Save ${nameOf(item)}`}
                      >
                        ☆
                      </button>
                    )}
                    <button
                      type="button"
                      onClick={() => change(isRecent ? saved.forget : saved.unfavour, item)}
                      aria-label={`Remove ${nameOf(item)}`}
                    >
                      ×
                    </button>
                  </li>
                ))}
              </ul>
            </div>
          </section>
        )
      })}
    </>
  )
}

function nameOf(hit: Hit): string {
  return hit.type === 'content' ? (hit.content ?? '') : (hit.hierarchy[hit.type] ?? '')
}
