import { useRouter } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useState } from 'react'
import { commandOf } from './keys.ts'
import { usesSingleKeys } from './single-keys.ts'

const Palette = lazy(() => import('./Palette.tsx').then((module) => ({ default: module.Palette })))
const KeySheet = lazy(() => import('./KeySheet.tsx').then((module) => ({ default: module.KeySheet })))

/** The button and the keys. What they open loads when it is first used. */
export function QuickAccess() {
  const router = useRouter()
  const [shown, setShown] = useState<'palette' | 'keys'>()
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const command = event.defaultPrevented ? undefined : commandOf(event, surroundingsOf(event.target))
      if (command === undefined) return
      if (command === 'palette' || command === 'keys') setShown(command)
      else if (command === 'search' && !focusSearch()) return
      else if (command === 'log') {
        const [, server] = /^\/servers\/([^/]+)/.exec(router.state.location.pathname) ?? []
        if (server !== undefined) router.history.push(`/servers/${server}/logs`)
      }
      event.preventDefault()
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [router])
  const close = () => setShown(undefined)
  return (
    <>
      <button type="button" className="find" aria-keyshortcuts="Control+K Meta+K" onClick={() => setShown('palette')}>
        Find <kbd aria-hidden="true">Ctrl K</kbd>
      </button>
      <Suspense>
        {shown === 'palette' && <Palette onClose={close} />}
        {shown === 'keys' && <KeySheet onClose={close} />}
      </Suspense>
    </>
  )
}

function surroundingsOf(target: EventTarget | null) {
  const isTyping = target instanceof Element && target.closest('input, textarea, select, [contenteditable]') !== null
  const isInDialog = document.querySelector('dialog[open], [role=dialog], [role=alertdialog]') !== null
  return { isTyping, isInDialog, usesSingleKeys: usesSingleKeys() }
}

/** False: the page has nothing to search, and the key is the browser's. */
function focusSearch(): boolean {
  const field = document.querySelector<HTMLInputElement>('main input[type=search]')
  field?.select()
  field?.focus()
  return field !== null
}
