import type { ReactElement } from 'react'
import styles from './search-modal.module.css'

type Hint = readonly [keys: readonly string[], what: string]

const HINTS: readonly Hint[] = [
  [['↵'], 'to select'],
  [['↑', '↓'], 'to navigate'],
  [['Esc'], 'to close'],
]
/** Only where there is something for these keys to reach. */
const MORE_HINTS = {
  saved: [['→'], 'to save or remove'],
  suggestions: [['↓'], 'to the suggestions'],
} as const satisfies Record<string, Hint>

export type MoreKeys = keyof typeof MORE_HINTS

interface Props {
  /** By which the input is described. */
  id: string
  more: MoreKeys | undefined
}

export function KeyHints({ id, more }: Props): ReactElement {
  return (
    <ul className={styles.hints} id={id}>
      {[...HINTS, ...(more === undefined ? [] : [MORE_HINTS[more]])].map(([keys, what]) => (
        <li key={what}>
          {keys.map((key) => (
            <kbd key={key}>{key}</kbd>
          ))}
          <span>{what}</span>
        </li>
      ))}
    </ul>
  )
}
