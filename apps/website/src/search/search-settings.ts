import useDocusaurusContext from '@docusaurus/useDocusaurusContext'

/** What the site configuration says about search (customFields.search). */
export interface SearchSettings {
  backend: 'embedded' | 'hosted'
  appId: string
  apiKey: string
  indexName: string
  hosts: Array<{ url: string; protocol: 'http' | 'https'; port?: number }>
  missingResultsUrl?: string
  eventsUrl?: string
  hitsPerGroup?: number
}

export function useSearchSettings(): SearchSettings {
  const settings = useDocusaurusContext().siteConfig.customFields?.['search']
  if (!isSearchSettings(settings)) throw new Error('The site configuration has no customFields.search.')
  return settings
}

/** The configuration is typed where it is written; here only a site without it is told apart. */
function isSearchSettings(value: unknown): value is SearchSettings {
  return typeof value === 'object' && value !== null && 'indexName' in value && 'hosts' in value
}
