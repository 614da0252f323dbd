import { type RefObject, useEffect } from 'react'

const FOCUSABLE = 'a[href]:not([tabindex="-1"]), button:not([disabled]), input:not([disabled])'

/** While the dialog is open, the page behind it can neither be reached nor scrolled; then focus goes back to where it was. */
export function useModalFocus(dialog: RefObject<HTMLElement | null>, first: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const before = document.activeElement
    const page = document.getElementById('__docusaurus')
    page?.toggleAttribute('inert', true)
    document.documentElement.style.setProperty('overflow', 'hidden')
    first.current?.focus()
    const keep = (event: KeyboardEvent) => {
      if (event.key === 'Tab' && dialog.current !== null) keepInside(dialog.current, event)
    }
    document.addEventListener('keydown', keep)
    return () => {
      document.removeEventListener('keydown', keep)
      document.documentElement.style.removeProperty('overflow')
      page?.toggleAttribute('inert', false)
      if (before instanceof HTMLElement) before.focus()
    }
  }, [dialog, first])
}

function keepInside(dialog: HTMLElement, event: KeyboardEvent): void {
  const all = [...dialog.querySelectorAll<HTMLElement>(FOCUSABLE)].filter((element) => element.offsetParent !== null)
  const [from, to] = event.shiftKey ? [all[0], all.at(-1)] : [all.at(-1), all[0]]
  const isOutside = !dialog.contains(document.activeElement)
  if (document.activeElement !== from && !isOutside) return
  event.preventDefault()
  to?.focus()
}
