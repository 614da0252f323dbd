import Head from '@docusaurus/Head'
import Link from '@docusaurus/Link'
import Layout from '@theme/Layout'
import type { ReactElement } from 'react'
import { SearchResults } from '../search/search-results'
import { useQueryParameter } from '../search/use-query-parameter'
import styles from './search.module.css'

/** Results of a search under an address that can be shared: /search?q=… */
export default function SearchPage(): ReactElement {
  const [query, setQuery] = useQueryParameter()
  const title = query === '' ? 'Search the documentation' : `Search results for "${query}"`
  return (
    <Layout title={title}>
      <Head>
        <meta name="robots" content="noindex, follow" />
      </Head>
      <main className={`container ${styles.page}`}>
        <h1>{title}</h1>
        <form role="search" onSubmit={(event) => event.preventDefault()}>
          <input
            type="search"
            className={styles.input}
            aria-label="Search"
            placeholder="Type your search here"
            autoComplete="off"
            maxLength={64}
            value={query}
            onChange={(event) => setQuery(event.target.value)}
          />
        </form>
        <SearchResults query={query} />
        <p className={styles.more}>
          Not sure what to look for? Start with the <Link to="/toolhaven/">overview</Link> or the{' '}
          <Link to="/toolhaven/faq">frequently asked questions</Link>.
        </p>
      </main>
    </Layout>
  )
}
