/** What a key asks for, wherever the focus is. */
export type KeyCommand = 'palette' | 'search' | 'keys' | 'log'

export interface PressedKey {
  key: string
  ctrlKey: boolean
  metaKey: boolean
  altKey: boolean
}

export interface KeySurroundings {
  /** The focus is where text is entered, so that a letter is a letter. */
  isTyping: boolean
  /** A dialog has the keyboard for itself. */
  isInDialog: boolean
  /** People who dictate or whose hands shake can turn the single keys off (WCAG 2.1.4). */
  usesSingleKeys: boolean
}

const SINGLE: Readonly<Record<string, KeyCommand>> = { '/': 'search', '?': 'keys', l: 'log' }

export function commandOf(pressed: PressedKey, surroundings: KeySurroundings): KeyCommand | undefined {
  const { key, ctrlKey, metaKey, altKey } = pressed
  const { isTyping, isInDialog, usesSingleKeys } = surroundings
  if (isInDialog || altKey) return undefined
  if (ctrlKey || metaKey) return key.toLowerCase() === 'k' ? 'palette' : undefined
  return isTyping || !usesSingleKeys ? undefined : SINGLE[key]
}

/** For the sheet. */
export const KEYS: readonly { keys: readonly string[]; does: string; isSingle: boolean }[] = [
  { keys: ['Ctrl K', '⌘ K'], does: 'Find an action, a server, a group, a client or a page', isSingle: false },
  { keys: ['/'], does: 'Search on this page', isSingle: true },
  { keys: ['l'], does: 'Open the log of the server that is shown', isSingle: true },
  { keys: ['?'], does: 'Show these keys', isSingle: true },
]
