import type * as Preset from '@docusaurus/preset-classic'
import type { Config } from '@docusaurus/types'
import { type allCards, cardFile, cardOf } from '../builder/social-cards'
import { cardLists } from './cards'
import { codeTheme } from './code-themes'
import { labelCells } from './label-cells'
import { drawnDiagrams } from './drawn-diagrams'
import { gatewayCosts } from './gateway-costs'
import { footer, navbar } from './navigation'
import { publishPlugin } from './publish-plugin'
import { recordedRun } from './recorded-run'
import { NO_ADDRESS, type SiteSettings } from './settings'
import { sitePlugin } from './site-plugin'

/** The whole configuration of the site. Tests build a second site from it, with other settings. */
export function createSiteConfig(settings: SiteSettings): Config {
  return {
    title: 'Toolhaven',
    tagline: 'simple and secure AI tools',
    favicon: 'img/favicon.svg',
    url: settings.url,
    baseUrl: settings.baseUrl,
    // Own banner, with the words of the specification: src/components/base-url-banner.tsx.
    baseUrlIssueBanner: false,
    onBrokenLinks: settings.brokenLinks,
    onBrokenAnchors: settings.brokenLinks,
    onBrokenMarkdownLinks: settings.brokenLinks,
    onDuplicateRoutes: 'throw',
    i18n: { defaultLocale: 'en', locales: ['en'] },
    // Not `v4: true`: it would put a suffix on the storage key `theme`.
    future: { experimental_faster: true, v4: { removeLegacyPostBuildHeadAttribute: true } },
    markdown: { format: 'detect', mermaid: true, ...socialCards(settings) },
    // For its types: diagrams are drawn beforehand (drawn-diagrams.ts).
    themes: ['@docusaurus/theme-mermaid'],
    presets: [['classic', presetOptions(settings)]],
    plugins: [sitePlugin(settings), publishPlugin(settings)],
    customFields: {
      search: { ...settings.search },
      feedbackUrl: settings.feedbackUrl ?? null,
      recordedRun: recordedRun(),
      gatewayCosts: gatewayCosts(),
    },
    themeConfig: themeConfig(settings),
  }
}

function presetOptions(settings: SiteSettings): Preset.Options {
  return {
    docs: settings.docs && {
      routeBasePath: '/',
      rehypePlugins: [labelCells, cardLists, [drawnDiagrams, { baseUrl: settings.baseUrl }]],
      ...editLinks(settings),
      showLastUpdateTime: settings.lastUpdate,
      sidebarPath: './sidebars.ts',
      sidebarCollapsible: true,
      sidebarCollapsed: false,
      versions: { current: { label: 'Next' } },
    },
    blog: false,
    theme: { customCss: ['./src/css/custom.css'] },
    // A map consists of whole addresses, so a site that has none cannot have one.
    sitemap: settings.url === NO_ADDRESS ? false : { ignorePatterns: ['/search', '/theme-preview'] },
    ...(settings.tagManagerId === undefined ? {} : { googleTagManager: { containerId: settings.tagManagerId } }),
  }
}

/** A link shows the card of the page's part. Its address must be whole, so a site that has none shows no card. */
function socialCards({ url }: SiteSettings): Pick<Config['markdown'] & object, 'parseFrontMatter'> {
  if (url === NO_ADDRESS) return {}
  return {
    parseFrontMatter: async (page) => {
      const parsed = await page.defaultParseFrontMatter(page)
      const place = page.filePath.split(/[\\/]docs[\\/]/).at(-1) ?? ''
      return {
        ...parsed,
        frontMatter: { image: cardAddress(cardOf(place.replaceAll('\\', '/'))), ...parsed.frontMatter },
      }
    },
  }
}

const cardAddress = (card: (typeof allCards)[number]) => `social/${cardFile(card)}`

/** Pages below `reference` are made from the program; there is nothing in them to edit. */
function editLinks({ editUrl }: SiteSettings) {
  if (editUrl === undefined) return {}
  const folder = editUrl.replace(/\/$/, '')
  return {
    editUrl: ({ docPath }: { docPath: string }) =>
      docPath.includes('/reference/') ? undefined : `${folder}/docs/${docPath}`,
  }
}

function themeConfig(settings: SiteSettings): Preset.ThemeConfig {
  return {
    ...(settings.url === NO_ADDRESS ? {} : { image: cardAddress(cardOf('')) }),
    colorMode: {
      defaultMode: 'dark',
      disableSwitch: !settings.colorModeSwitch,
      respectPrefersColorScheme: settings.followSystemColor,
    },
    docs: { sidebar: { hideable: false, autoCollapseCategories: false } },
    tableOfContents: { minHeadingLevel: 2, maxHeadingLevel: 3 },
    navbar: navbar(settings),
    footer,
    prism: {
      theme: codeTheme,
      darkTheme: codeTheme,
      // All there are, and every page carries them: the library's own are left out (site-plugin.ts).
      additionalLanguages: ['bash', 'json', 'powershell', 'docker', 'promql', 'yaml'],
    },
  }
}
