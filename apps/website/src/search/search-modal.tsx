import Link from '@docusaurus/Link'
import { useHistory } from '@docusaurus/router'
import useDocusaurusContext from '@docusaurus/useDocusaurusContext'
import { type KeyboardEvent, type ReactElement, useRef } from 'react'
import { createPortal } from 'react-dom'
import { KeyHints, type MoreKeys } from './key-hints'
import { moveInPanel } from './panel-keys'
import { SearchBox } from './search-box'
import styles from './search-modal.module.css'
import { useContextualFilters } from './search-request'
import { SearchScreens } from './search-screens'
import { searchSession } from './search-session'
import { useSearchSettings } from './search-settings'
import { useModalFocus } from './use-modal-focus'
import { type Search, useSearch } from './use-search'

const hintsId = 'site-search-keys'

/** The search dialog. It is made when it opens and gone when it closes. */
export function SearchModal({ close }: { close: () => void }): ReactElement {
  const settings = useSearchSettings()
  const session = searchSession(settings, useDocusaurusContext().siteConfig.baseUrl)
  const facetFilters = useContextualFilters()
  const navigate = useNavigate()
  const search = useSearch({ session, settings, facetFilters, navigate, close })
  const { autocomplete, state, status, total, hasHits, hasActive } = search
  const dialog = useRef<HTMLDivElement>(null)
  const input = useRef<HTMLInputElement>(null)
  useModalFocus(dialog, input)

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.nativeEvent.isComposing) return
    event.preventDefault()
    event.stopPropagation()
    if (state.isOpen || state.query === '') return close()
    search.clear()
    // The button that clears goes with the query; the next Escape must still arrive here.
    if (document.activeElement !== input.current) dialog.current?.focus()
  }
  const isShowingHits = state.isOpen && state.query !== '' && hasHits && status !== 'error'
  return createPortal(
    <div className={styles.backdrop} onMouseDown={(event) => event.target === event.currentTarget && close()}>
      <div
        ref={dialog}
        className={styles.dialog}
        role="dialog"
        aria-modal="true"
        tabIndex={-1}
        aria-label="Search the documentation"
        data-status={status}
        onKeyDownCapture={onKeyDown}
      >
        <SearchBox {...{ autocomplete, status, hasActive, input, hintsId, close }} />
        {state.isOpen && (
          <div
            className={styles.panel}
            {...autocomplete.getPanelProps({})}
            data-panel=""
            onKeyDown={(event) => moveInPanel(event, input.current)}
          >
            <SearchScreens {...{ search, session, settings, navigate, input }} />
          </div>
        )}
        <p className={styles.announcement} role="status">
          {isShowingHits && `${total} results`}
        </p>
        <footer className={styles.footer}>
          <KeyHints id={hintsId} more={moreKeys(search)} />
          {isShowingHits && (
            <Link to={`/search?q=${encodeURIComponent(state.query)}`} onClick={close}>
              See all {total} results
            </Link>
          )}
        </footer>
      </div>
    </div>,
    document.body,
  )
}

function moreKeys({ state, status, hasHits }: Search): MoreKeys | undefined {
  if (!state.isOpen || status !== 'idle' || hasHits) return undefined
  if (state.query !== '') return 'suggestions'
  return state.collections.some(({ items }) => items.length > 0) ? 'saved' : undefined
}

/** Pages of this site open without loading everything anew, also where the index has full addresses. */
function useNavigate(): (url: string) => void {
  const history = useHistory()
  const { url: site } = useDocusaurusContext().siteConfig
  return (url) => {
    const target = new URL(url, window.location.href)
    const isHere = target.origin === window.location.origin || target.origin === new URL(site).origin
    if (isHere) history.push(`${target.pathname}${target.search}${target.hash}`)
    else window.location.assign(target)
  }
}
