import Link from '@docusaurus/Link'
import { findFirstSidebarItemLink } from '@docusaurus/plugin-content-docs/client'
import type { Props } from '@theme/DocCard'
import type { ReactElement } from 'react'
import styles from './styles.module.css'

/** A card without the stock picture letters, and with the whole description it is given. */
export default function DocCard({ item }: Props): ReactElement | null {
  if (item.type === 'html') return null
  const isCategory = item.type === 'category'
  const href = isCategory ? findFirstSidebarItemLink(item) : item.href
  if (href === undefined) return null
  const text = item.description ?? (isCategory ? `${item.items.length} pages` : undefined)
  return (
    <Link href={href} className={`card ${styles.card}`}>
      <strong className={styles.title}>{item.label}</strong>
      {text === undefined ? null : <span className={styles.text}>{text}</span>}
    </Link>
  )
}
