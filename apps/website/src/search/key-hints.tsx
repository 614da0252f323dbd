import type { ReactElement } from 'react'
import styles from './search-modal.module.css'

const HINTS = [
  [['↵'], 'to select'],
  [['↑', '↓'], 'to navigate'],
  [['Esc'], 'to close'],
] as const

export function KeyHints(): ReactElement {
  return (
    <ul className={styles.hints}>
      {HINTS.map(([keys, what]) => (
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
