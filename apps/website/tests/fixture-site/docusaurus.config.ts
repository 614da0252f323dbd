import type { Config } from '@docusaurus/types'
import { createSiteConfig } from '../../site/config'
import { type SiteSettings, settingsFrom } from '../../site/settings'

const base = settingsFrom({})

/** The site of the product in other configurations, with a page or two instead of its documentation. */
const variants: Record<string, SiteSettings> = {
  /** A public address, switch disabled, hosted search, a link for missing results, events, a tag manager, links to edit and to answer. */
  other: {
    ...base,
    url: 'https://docs.example.com',
    colorModeSwitch: false,
    tagManagerId: 'GTM-FIXTURE',
    editUrl: 'https://example.com/edit/main/apps/website',
    feedbackUrl: 'https://example.com/feedback?page={page}&answer={answer}',
    search: {
      backend: 'hosted',
      appId: 'FIXTUREID',
      apiKey: 'fixture-key',
      indexName: 'fixture',
      hosts: [
        { url: 'search-a.test', protocol: 'http', port: 8101 },
        { url: 'search-b.test', protocol: 'http', port: 8102 },
      ],
      missingResultsUrl: 'https://example.com/missing?query={query}',
      eventsUrl: 'http://search-a.test:8101/1/events',
    },
  },
  /** Neither docs nor the system's colour preference, and three hits of a section. */
  'no-docs': { ...base, docs: false, followSystemColor: false, search: { ...base.search, hitsPerGroup: 3 } },
  development: base,
}

const name = process.env['FIXTURE'] ?? 'other'
const settings = variants[name]
if (settings === undefined) throw new Error(`There is no fixture called ${name}`)
const config = createSiteConfig({ ...settings, brokenLinks: 'warn' })

export default {
  ...config,
  onBrokenLinks: 'ignore',
  onBrokenAnchors: 'ignore',
  staticDirectories: ['../../static'],
  plugins: [...(config.plugins ?? []), ['@docusaurus/plugin-content-pages', { id: 'extra', path: './extra-pages' }]],
} satisfies Config
