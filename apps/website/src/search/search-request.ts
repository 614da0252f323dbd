import { useDocsContextualSearchTags } from '@docusaurus/plugin-content-docs/client'
import useDocusaurusContext from '@docusaurus/useDocusaurusContext'
import { type Hit, LEVELS } from './hit'
import type { SearchClient } from './search-client'

export const MAX_QUERY = 64
export const HITS_PER_PAGE = 20
const SNIPPET_WORDS = 10
const SNIPPET_WORDS_NARROW = 5
const NARROW = '(max-width: 768px)'

export interface Query {
  query: string
  indexName: string
  facetFilters: ReadonlyArray<string | readonly string[]>
  clickAnalytics: boolean
  page?: number
}

export interface Found {
  hits: Hit[]
  nbHits: number
  queryID: string | undefined
}

/** One search, with the parameters that all our searches have. */
export async function findHits(
  client: SearchClient,
  { query, page = 0, facetFilters, ...rest }: Query,
): Promise<Found> {
  const words = window.matchMedia(NARROW).matches ? SNIPPET_WORDS_NARROW : SNIPPET_WORDS
  const levels = LEVELS.map((level) => `hierarchy.${level}`)
  const request = {
    ...rest,
    query: query.slice(0, MAX_QUERY),
    ...(page > 0 ? { page } : {}),
    facetFilters: facetFilters.map((group) => (typeof group === 'string' ? group : [...group])),
    attributesToRetrieve: [...levels, 'content', 'type', 'url'],
    attributesToSnippet: [...levels.slice(1), 'content'].map((name) => `${name}:${words}`),
    snippetEllipsisText: '…',
    highlightPreTag: '<mark>',
    highlightPostTag: '</mark>',
    hitsPerPage: HITS_PER_PAGE,
  }
  const { results } = await client.search<Hit>({ requests: [request] })
  const result = results[0]
  if (result === undefined || !('hits' in result)) throw new Error('The search host answered without results.')
  return { hits: result.hits, nbHits: result.nbHits ?? result.hits.length, queryID: result.queryID }
}

/** Only pages in the language and of the documentation version that the visitor reads. */
export function useContextualFilters(): Query['facetFilters'] {
  const { currentLocale } = useDocusaurusContext().i18n
  const tags = ['default', ...useDocsContextualSearchTags()]
  return [`language:${currentLocale}`, tags.map((tag) => `docusaurus_tag:${tag}`)]
}
