import Link from '@docusaurus/Link'
import { PageMetadata } from '@docusaurus/theme-common'
import type { Props } from '@theme/NotFound/Content'
import type { ReactElement } from 'react'
import styles from './styles.module.css'

const WAYS = [
  ['/toolhaven/', 'Overview', 'What Toolhaven is and which edition fits'],
  ['/toolhaven/quickstart', 'Quickstart', 'A first server in a few minutes'],
  ['/toolhaven/reference/cli/thv', 'Commands', 'Every command and its options'],
  ['/toolhaven/faq', 'FAQ', 'Short answers to common questions'],
] as const

export default function NotFoundContent({ className = '' }: Props): ReactElement {
  return (
    <main className={`container ${styles.page} ${className}`}>
      {/* Not in the page around it: the docs lie at the root, so most unknown addresses are shown inside theirs. */}
      <PageMetadata title="Page not found" />
      <p className={styles.code} aria-hidden="true">
        404
      </p>
      <h1>Page not found</h1>
      <p className={styles.text}>
        There is no page at this address. It may have moved, or the link may have a typing error. Press <kbd>/</kbd> to
        search, or continue with one of these pages:
      </p>
      <ul className={styles.ways}>
        {WAYS.map(([to, title, text]) => (
          <li key={to}>
            <Link to={to} className={`card padding--md ${styles.way}`}>
              <strong>{title}</strong>
              <span>{text}</span>
            </Link>
          </li>
        ))}
      </ul>
    </main>
  )
}
