import type { KeyboardEvent } from 'react'

/** What can be focused in the panel; the options of its lists are walked through from the input. */
const STOPS = 'button, a[href]:not([role="option"])'

/**
 * Tab closes the panel, so the arrow keys lead to what else it holds: to the right, the buttons of the active saved
 * search; down, the suggestions where nothing was found. Says whether the key was used.
 */
export function enterPanel(event: KeyboardEvent<HTMLInputElement>, panel: Element | null): boolean {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || panel === null) return false
  const { value } = event.currentTarget
  const active = event.currentTarget.getAttribute('aria-activedescendant')
  let stop: HTMLElement | null = null
  if (event.key === 'ArrowRight' && value === '' && active !== null) {
    stop = panel.querySelector<HTMLElement>(`[data-actions-of="${CSS.escape(active)}"] button`)
  }
  if (event.key === 'ArrowDown' && active === null) stop = panel.querySelector<HTMLElement>(STOPS)
  if (stop === null) return false
  event.preventDefault()
  stop.focus()
  return true
}

/** From one button to the next, and back to the input. */
export function moveInPanel(event: KeyboardEvent<HTMLElement>, input: HTMLElement | null): void {
  const { target, currentTarget: panel, key } = event
  if (!(target instanceof HTMLElement) || !key.startsWith('Arrow')) return
  event.preventDefault()
  const row = target.closest('[data-actions-of]')
  const stops = [...(row ?? panel).querySelectorAll<HTMLElement>(STOPS)]
  const leavesRow = row !== null && (key === 'ArrowUp' || key === 'ArrowDown')
  const next = stops.indexOf(target) + (key === 'ArrowRight' || key === 'ArrowDown' ? 1 : -1)
  if (leavesRow || next < 0) input?.focus()
  else stops[next]?.focus()
}
