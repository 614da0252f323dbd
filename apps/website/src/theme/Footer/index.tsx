import Link from '@docusaurus/Link'
import { useThemeConfig } from '@docusaurus/theme-common'
import useBaseUrl from '@docusaurus/useBaseUrl'
import { links } from '@site/site/settings'
import { type ReactElement, memo } from 'react'
import styles from './styles.module.css'

const ICONS = [
  ['source', links.source, 'Source code'],
  ['chat', links.chat, 'Chat community'],
  ['video', links.video, 'Video channel'],
  ['network', links.network, 'Professional network'],
  ['microblog', links.microblog, 'Microblog'],
] as const

function Footer(): ReactElement | null {
  const { footer } = useThemeConfig()
  const logo = useBaseUrl('img/logo.svg')
  if (footer === undefined) return null
  return (
    <footer className={`theme-layout-footer footer ${styles.footer}`}>
      <div className="container container-fluid">
        <div className={styles.columns}>
          <div className={styles.about}>
            <Link to="/" className={styles.brand}>
              <img src={logo} alt="" width={28} height={28} /> Toolhaven
            </Link>
            <p>Simple and secure AI tools.</p>
            <div className={styles.icons}>
              {ICONS.map(([name, href, label]) => (
                <a
                  key={name}
                  href={href}
                  aria-label={label}
                  title={label}
                  className={`icon-link icon-link--${name}`}
                  target="_blank"
                  rel="noopener noreferrer"
                />
              ))}
            </div>
          </div>
          {footer.links.map((column) => (
            <nav key={String(column.title)} aria-label={String(column.title)}>
              <p className={styles.heading}>{String(column.title)}</p>
              <ul className={styles.list}>
                {'items' in column && Array.isArray(column.items) ? column.items.map(entry) : null}
              </ul>
            </nav>
          ))}
        </div>
        <p className={styles.copyright}>{footer.copyright}</p>
      </div>
    </footer>
  )
}

function entry({ label, to }: { label?: string; to?: string }): ReactElement {
  return (
    <li key={to}>
      <Link {...(to === undefined ? {} : { to })}>{label}</Link>
    </li>
  )
}

export default memo(Footer)
