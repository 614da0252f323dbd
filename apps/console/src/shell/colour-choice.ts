import { useSyncExternalStore } from 'react'

export type ColourChoice = 'system' | 'light' | 'dark'

export const COLOUR_CHOICES: readonly { choice: ColourChoice; label: string }[] = [
  { choice: 'system', label: 'As the system' },
  { choice: 'light', label: 'Light' },
  { choice: 'dark', label: 'Dark' },
]

const KEY = 'toolhaven.colour-mode'
const CHANGED = 'toolhaven-colour-mode'

/** Kept in the browser. public/console-start.js reads it before the first paint. */
export function useColourChoice(): ColourChoice {
  return useSyncExternalStore(subscribe, readChoice)
}

export function chooseColours(value: string): void {
  localStorage.setItem(KEY, COLOUR_CHOICES.find((known) => known.choice === value)?.choice ?? 'system')
  dispatchEvent(new Event(CHANGED))
}

/** Also when another tab changes it. */
function subscribe(onChange: () => void): () => void {
  addEventListener(CHANGED, onChange)
  addEventListener('storage', onChange)
  return () => {
    removeEventListener(CHANGED, onChange)
    removeEventListener('storage', onChange)
  }
}

function readChoice(): ColourChoice {
  const kept = localStorage.getItem(KEY)
  return kept === 'light' || kept === 'dark' ? kept : 'system'
}
