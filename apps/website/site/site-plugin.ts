import { createHash } from 'node:crypto'
import path from 'node:path'
import type { LoadContext, Plugin } from '@docusaurus/types'
import { addressCorrection, loadFailure, themeCorrection } from './inline-scripts'
import { type SiteSettings, NO_ADDRESS } from './settings'

interface Change {
  file: RegExp
  /** With `until`, everything from the one to the other goes. */
  changes: { from: string; until?: string; to: string }[]
}

const libraryChanges: Change[] = [
  {
    // Twenty languages and twenty themes that this site does not use, a tenth of the script of every page. Those it does
    // use are named in config.ts.
    file: /prism-react-renderer[\\/]dist[\\/]index\.mjs$/,
    changes: [
      { from: '// src/prism-langs.ts', until: '// src/themes/index.ts', to: 'var Prism = __toESM(require_prism());\n' },
      { from: '// src/themes/index.ts', until: '// src/index.ts', to: 'var themes_exports = {}, vsDark_default;\n' },
    ],
  },
  {
    // For one line it brings a library of thirty helpers, 3 KB of the script of every page.
    file: /@docusaurus[\\/]utils-common[\\/]lib[\\/]index\.js$/,
    changes: [
      { from: 'const tslib_1 = require("tslib");', to: '' },
      { from: 'tslib_1.__importDefault(applyTrailingSlash_1).default', to: 'applyTrailingSlash_1.default' },
    ],
  },
  {
    // The only address outside the site that redoc contacts at run time, its logo; and two colours that no theme can change
    // and that are too faint: of patterns on a dark page, of limits on a light one.
    file: /redoc[\\/]bundles[\\/]redoc\.(browser\.)?lib\.js$/,
    changes: [
      {
        from: 'https://cdn.redoc.ly/redoc/logo-mini.svg',
        to: 'data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22 width=%220%22 height=%220%22/%3E',
      },
      { from: 'color: #0e7c86;', to: 'color: inherit;' },
      // The short address of an operation only scrolled to it, and the menu showed its neighbour.
      {
        from: 't=this.flatItems.find(t=>t.id===e),t?',
        to: 't=this.flatItems.find(t=>t.id===e||t.operationHash===e),t?',
      },
      {
        from: 'color: ${(0,t.transparentize)(.1,e.colors.primary.main)};',
        to: 'color: ${e.colors.text.primary};',
      },
    ],
  },
  {
    // Most pages share most of their scripts; without a memory, each link in sight asks for all of them again.
    file: /@docusaurus[\\/]core[\\/]lib[\\/]client[\\/]prefetch\.js$/,
    changes: [
      { from: 'const supportedPrefetchStrategy =', to: 'const asked = {};\nconst supportedPrefetchStrategy =' },
      { from: 'return supportedPrefetchStrategy(url)', to: 'return asked[url] ??= supportedPrefetchStrategy(url)' },
    ],
  },
  {
    // Code is made anew after hydration so that it gets the colours of the mode. Ours are variables (code-themes.ts), and
    // the second painting would be the largest of many pages.
    file: /theme-classic[\\/]lib[\\/]theme[\\/]CodeBlock[\\/]index\.js$/,
    changes: [{ from: 'key={String(isBrowser)}', to: '' }],
  },
  {
    // The choice "system" is stored as that word; the library would delete the key. And a tab that hears of a change
    // follows it without writing again, or two tabs would undo each other.
    file: /theme-common[\\/]lib[\\/]contexts[\\/]colorMode\.js$/,
    changes: [
      {
        from: 'if (newColorMode === null) {\n        ColorModeStorage.del();',
        to: "if (newColorMode === null) {\n        ColorModeStorage.set('system');",
      },
      {
        from: 'setColorMode(coerceToColorModeChoice(e.newValue));',
        to: 'setColorMode(coerceToColorModeChoice(e.newValue), { persist: false });',
      },
    ],
  },
]

/** What the docs plugin hands to every page. */
const LIST_OF_PAGES = /docusaurus-plugin-content-docs[\\/]default[\\/]p[\\/]index-[0-9a-f]+\.json$/
/** How every page is fetched; written anew for each build, of a test's site into a folder of its own. */
const LIST_OF_LOADERS = /\.docusaurus[\\/](?:[^\\/]+[\\/])?registry\.js$/
const CONFIGURATION = /\.docusaurus[\\/](?:[^\\/]+[\\/])?docusaurus\.config\.mjs$/

/** Docusaurus insists on an address. Where none is known, pages name none and have no link that must be a whole address. */
const withoutAddress: Change[] = [
  { file: CONFIGURATION, changes: [{ from: `"url": "${NO_ADDRESS}"`, to: '"url": ""' }] },
  {
    file: /theme-classic[\\/]lib[\\/]theme[\\/]SiteMetadata[\\/]index\.js$/,
    changes: [
      { from: '<meta property="og:url" content={canonicalUrl} />', to: '' },
      { from: '<link rel="canonical" href={canonicalUrl} />', to: '' },
      { from: '<AlternateLangHeaders />', to: '' },
    ],
  },
]

/** What the site needs of the bundler and of every page's HTML. */
export const sitePlugin =
  (settings: SiteSettings) =>
  (context: LoadContext): Plugin => {
    const { colorMode } = context.siteConfig.themeConfig
    const changed = settings.url === NO_ADDRESS ? [...libraryChanges, ...withoutAddress] : libraryChanges
    return {
      name: 'toolhaven-site',
      getClientModules: () =>
        ['analytics.ts', 'sidebar-place.ts'].map((file) => path.resolve(__dirname, '../src/client', file)),
      injectHtmlTags: () => ({
        preBodyTags: [
          { tagName: 'script', innerHTML: `${themeCorrection(colorMode)}${addressCorrection}${loadFailure}` },
        ],
      }),
      configureWebpack: (_config, isServer) => ({
        module: {
          rules: [
            ...changed.map(({ file, changes }) => ({
              test: file,
              enforce: 'pre' as const,
              // Named by what it does: what the bundler keeps between builds must not outlive a change of this list.
              use: [
                { loader: path.resolve(__dirname, 'patch-source.cjs'), options: { changes }, ident: markOf(changes) },
              ],
            })),
            { test: LIST_OF_PAGES, use: [{ loader: path.resolve(__dirname, 'drop-descriptions.cjs') }] },
            ...(isServer
              ? []
              : [{ test: LIST_OF_LOADERS, use: [{ loader: path.resolve(__dirname, 'drop-module-names.cjs') }] }]),
          ],
        },
        // The stock group pulls into every page what half of the chunks use, diagrams included.
        ...(isServer
          ? {}
          : {
              optimization: {
                splitChunks: {
                  cacheGroups: { common: { name: false, minChunks: 2, priority: -30, reuseExistingChunk: true } },
                },
              },
            }),
      }),
    }
  }

function markOf(changes: Change['changes']): string {
  return `patch-${createHash('sha256').update(JSON.stringify(changes)).digest('hex').slice(0, 16)}`
}
