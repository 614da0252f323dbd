import type { ReactElement } from 'react'
import styles from './HavenPicture.module.css'

const CLIENTS = ['Cursor', 'VS Code', 'Claude Code']
const SERVERS = [
  ['fetch', 'may use the network'],
  ['filesystem', 'may use one folder'],
  ['time', 'may use nothing'],
] as const

/** What Toolhaven is, in one drawing: clients, one way in, servers behind walls. */
export default function HavenPicture(): ReactElement {
  return (
    <figure
      className={styles.picture}
      aria-label="AI clients reach MCP servers through Toolhaven. Each server stands in a box of its own."
    >
      <div className={styles.column}>
        <span className={styles.label}>AI clients</span>
        {CLIENTS.map((name) => (
          <span key={name} className={styles.client}>
            {name}
          </span>
        ))}
      </div>
      <svg className={styles.way} viewBox="0 0 60 200" aria-hidden="true" preserveAspectRatio="none">
        <path d="M0 45C34 45 26 100 60 100M0 105h60M0 165c34 0 26-60 60-60" />
      </svg>
      <div className={styles.gate}>
        <svg viewBox="0 0 48 48" width="44" height="44" aria-hidden="true">
          <path
            d="M12 40V23.5a12 12 0 0 1 24 0V40"
            fill="none"
            stroke="currentColor"
            strokeWidth="3.4"
            strokeLinecap="round"
          />
          <circle cx="24" cy="23.5" r="4.2" className={styles.light} />
          <path d="M24 27 21.8 36h4.400z" className={styles.light} />
        </svg>
        <strong>thv</strong>
      </div>
      <svg className={styles.way} viewBox="0 0 60 200" aria-hidden="true" preserveAspectRatio="none">
        <path d="M0 100C34 100 26 45 60 45M0 105h60M0 105c34 0 26 60 60 60" />
      </svg>
      <div className={styles.column}>
        <span className={styles.label}>Isolated servers</span>
        {SERVERS.map(([name, may]) => (
          <span key={name} className={styles.server}>
            <b>{name}</b>
            <small>{may}</small>
          </span>
        ))}
      </div>
    </figure>
  )
}
