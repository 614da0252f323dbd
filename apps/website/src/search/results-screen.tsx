import type { AutocompleteState } from '@algolia/autocomplete-core'
import type { MouseEvent, ReactElement } from 'react'
import { type Hit, titleOf, trailOf } from './hit'
import { MarkedText } from './marked-text'
import styles from './search-modal.module.css'
import { type Autocomplete, isForAnotherPlace } from './use-search'

interface Props {
  autocomplete: Autocomplete
  state: AutocompleteState<Hit>
  navigate: (url: string) => void
}

export function ResultsScreen({ autocomplete, state, navigate }: Props): ReactElement {
  return (
    <>
      {state.collections.map(({ source, items }) => {
        const section = source.sourceId.replace(/^hits /, '')
        const list = autocomplete.getListProps({ source })
        return (
          <section key={source.sourceId} className={styles.group}>
            <div className={styles.groupName} id={`${list.id}-name`}>
              {section}
            </div>
            <ul {...list} className={styles.list} aria-labelledby={`${list.id}-name`}>
              {items.map((item) => (
                <li key={item.objectID} role="none">
                  <HitLink {...{ autocomplete, item, source, navigate }} />
                </li>
              ))}
            </ul>
          </section>
        )
      })}
    </>
  )
}

interface HitLinkProps {
  autocomplete: Autocomplete
  item: Hit
  source: AutocompleteState<Hit>['collections'][number]['source']
  navigate: (url: string) => void
}

export function HitLink({ autocomplete, item, source, navigate }: HitLinkProps): ReactElement {
  const { onClick, ...option } = autocomplete.getItemProps({ item, source })
  const open = (event: MouseEvent) => {
    onClick(event)
    if (isForAnotherPlace(event)) return
    event.preventDefault()
    navigate(item.url)
  }
  const trail = trailOf(item)
  return (
    <a {...option} href={item.url} className={styles.hit} tabIndex={-1} onClick={open} data-type={item.type}>
      <span className={styles.kind} aria-hidden="true">
        {item.type === 'lvl1' ? '▤' : item.type === 'content' ? '≡' : '#'}
      </span>
      <span className={styles.hitText}>
        <span className={styles.hitTitle}>
          <MarkedText html={titleOf(item)} />
        </span>
        {trail.length > 0 && <span className={styles.trail}>{trail.join(' › ')}</span>}
      </span>
    </a>
  )
}
