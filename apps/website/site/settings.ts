/**
 * The one place for what a deployment may want to change: addresses, search and measuring.
 * Until the project has accounts of its own, each link leads to the home page of the service it will live on.
 */
export const links = {
  source: 'https://github.com',
  chat: 'https://discord.com',
  video: 'https://www.youtube.com',
  network: 'https://www.linkedin.com',
  microblog: 'https://bsky.app',
} as const

export interface SearchHost {
  url: string
  protocol: 'http' | 'https'
  port?: number
}

export interface SearchSettings {
  /** `embedded`: our own server answers, on the origin of the site. `hosted`: a search provider does. */
  backend: 'embedded' | 'hosted'
  appId: string
  apiKey: string
  indexName: string
  /** None means: the origin of the page (embedded), or the provider's own hosts for the application id (hosted). */
  hosts: SearchHost[]
  /** With `{query}` in it. Absent, the no-results screen offers no link. */
  missingResultsUrl?: string
  /** Where view events go. Absent, there are none. */
  eventsUrl?: string
  /** How many hits of one section the dialog shows; 5 when absent. */
  hitsPerGroup?: number
}

/** Stands for the address of a site that was built without one; no page, list or script shows it. */
export const NO_ADDRESS = 'https://address.invalid'

export interface SiteSettings {
  /** Where readers find the site, or NO_ADDRESS. */
  url: string
  baseUrl: string
  search: SearchSettings
  /** The folder of the website's sources on the source host, for a link below each page; absent, there is no such link. */
  editUrl?: string
  /** Shows when a page last changed, as git knows it. The build then needs the whole history. */
  lastUpdate: boolean
  /** Where readers say more about a page, with `{page}` and `{answer}` in it. Absent, their answer stays in their browser. */
  feedbackUrl?: string
  /** Google Tag Manager, when a container id is configured. */
  tagManagerId?: string
  colorModeSwitch: boolean
  /** Without it, a reader who chose nothing gets the default mode. */
  followSystemColor: boolean
  docs: boolean
  /** Broken links stop the build; while pages are being written they may only warn. */
  brokenLinks: 'throw' | 'warn'
}

type Environment = Readonly<Record<string, string | undefined>>

export function settingsFrom(env: Environment): SiteSettings {
  const tagManagerId = env['SITE_TAG_MANAGER_ID']
  const editUrl = env['SITE_EDIT_URL']
  const feedbackUrl = env['SITE_FEEDBACK_URL']
  return {
    url: env['SITE_URL'] || NO_ADDRESS,
    baseUrl: env['SITE_BASE_URL'] ?? '/',
    search: searchFrom(env),
    lastUpdate: env['SITE_LAST_UPDATE'] === '1',
    ...(editUrl === undefined ? {} : { editUrl }),
    ...(feedbackUrl === undefined ? {} : { feedbackUrl }),
    ...(tagManagerId === undefined ? {} : { tagManagerId }),
    colorModeSwitch: true,
    followSystemColor: true,
    docs: true,
    brokenLinks: env['SITE_DRAFT'] === '1' ? 'warn' : 'throw',
  }
}

function searchFrom(env: Environment): SearchSettings {
  const backend = env['SITE_SEARCH_APP_ID'] === undefined ? 'embedded' : 'hosted'
  const missingResultsUrl = env['SITE_SEARCH_MISSING_RESULTS_URL']
  const eventsUrl = env['SITE_SEARCH_EVENTS_URL']
  const hitsPerGroup = Number(env['SITE_SEARCH_HITS_PER_GROUP'] ?? 0)
  return {
    backend,
    appId: env['SITE_SEARCH_APP_ID'] ?? 'toolhaven',
    // Not a secret: the embedded search reads public pages and answers anybody who can load the site.
    apiKey: env['SITE_SEARCH_API_KEY'] ?? 'public',
    indexName: env['SITE_SEARCH_INDEX'] ?? 'toolhaven-docs',
    hosts: (env['SITE_SEARCH_HOSTS'] ?? '').split(',').filter(Boolean).map(hostFrom),
    ...(missingResultsUrl === undefined ? {} : { missingResultsUrl }),
    ...(eventsUrl === undefined ? {} : { eventsUrl }),
    ...(hitsPerGroup > 0 ? { hitsPerGroup } : {}),
  }
}

function hostFrom(text: string): SearchHost {
  const { protocol, hostname, port } = new URL(text)
  return {
    url: hostname,
    protocol: protocol === 'http:' ? 'http' : 'https',
    ...(port === '' ? {} : { port: Number(port) }),
  }
}
