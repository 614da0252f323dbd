import useBaseUrl from '@docusaurus/useBaseUrl'
import useIsBrowser from '@docusaurus/useIsBrowser'
import { type ComponentType, type ReactElement, useCallback, useEffect, useState } from 'react'
import styles from './styles.module.css'

type Modal = ComponentType<{ close: () => void }>

/** The button in the navigation bar and the keys that open the search. The dialog itself is fetched when first opened. */
export default function SearchBar(): ReactElement {
  const [Modal, setModal] = useState<Modal>()
  const [isOpen, setIsOpen] = useState(false)
  const searchPage = useBaseUrl('/search')
  const close = useCallback(() => setIsOpen(false), [])
  const open = useCallback(() => {
    setIsOpen(true)
    import('../../search/search-modal').then(
      ({ SearchModal }) => setModal(() => SearchModal),
      // Offline, or the site was published anew meanwhile: the search page is loaded from the server.
      () => window.location.assign(searchPage),
    )
  }, [searchPage])
  useShortcuts(isOpen, { open, close })
  const isApple = useIsBrowser() && /Mac|iPhone|iPad/.test(navigator.platform)
  return (
    <>
      <button type="button" className={styles.button} onClick={open} aria-label="Search" aria-haspopup="dialog">
        <span className={styles.icon} aria-hidden="true" />
        <span className={styles.label}>Search</span>
        {/* Drawn by CSS: what a button shows as text must be in its name. */}
        <kbd className={styles.keys} aria-hidden="true" data-keys={isApple ? '⌘ K' : 'Ctrl K'} />
      </button>
      {isOpen && Modal !== undefined && <Modal close={close} />}
    </>
  )
}

function useShortcuts(isOpen: boolean, { open, close }: { open: () => void; close: () => void }): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const isCommandK =
        event.key.toLowerCase() === 'k' && (event.metaKey || event.ctrlKey) && !event.altKey && !event.shiftKey
      const isSlash = event.key === '/' && !event.ctrlKey && !event.metaKey && !event.altKey && !isTyping(event.target)
      if (!isCommandK && (!isSlash || isOpen)) return
      event.preventDefault()
      if (isOpen) close()
      else open()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [isOpen, open, close])
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches('input, select, textarea'))
}
