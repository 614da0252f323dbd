import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { LoadContext, Plugin } from '@docusaurus/types'
import { plainMarkdown } from './plain-markdown'
import { NO_ADDRESS, type SiteSettings } from './settings'

interface Page {
  title: string
  description: string
  permalink: string
  source: string
}

/** After the build: a Markdown copy of each page beside it, lists of them for machines, and a note for our server. */
export const publishPlugin =
  (settings: SiteSettings) =>
  (context: LoadContext): Plugin => {
    const { title, tagline, baseUrl } = context.siteConfig
    const url = settings.url === NO_ADDRESS ? '' : settings.url
    return {
      name: 'toolhaven-publish',
      async postBuild({ outDir, plugins }) {
        const docs = plugins.find(({ name }) => name === 'docusaurus-plugin-content-docs')
        const pages = pagesOf(docs?.content).filter(({ permalink }) => permalink !== `${baseUrl}theme-preview`)
        const copies: string[] = []
        for (const page of pages.toSorted((one, other) => one.permalink.localeCompare(other.permalink))) {
          const source = path.join(context.siteDir, page.source.replace(/^@site\//, ''))
          const target = path.join(outDir, markdownPath(page.permalink.slice(baseUrl.length)))
          await mkdir(path.dirname(target), { recursive: true })
          const copy = plainMarkdown(page, await readFile(source, 'utf8'))
          copies.push(copy)
          await writeFile(target, copy)
        }
        const lines = pages
          .toSorted((one, other) => one.permalink.localeCompare(other.permalink))
          .map(
            ({ title, description, permalink }) =>
              `- [${title}](${url}${baseUrl}${markdownPath(permalink.slice(baseUrl.length))}): ${description}`,
          )
        await writeFile(path.join(outDir, 'llms-full.txt'), copies.join('\n---\n\n'))
        await writeFile(path.join(outDir, 'robots.txt'), robots(url && `${url}${baseUrl}`))
        await writeFile(path.join(outDir, 'llms.txt'), [`# ${title}`, '', `> ${tagline}`, '', ...lines, ''].join('\n'))
        await writeFile(
          path.join(outDir, '.site.json'),
          JSON.stringify({ ...outsideOf(settings), ...embeddedOf(settings) }),
        )
      },
    }
  }

function robots(site: string): string {
  return ['User-agent: *', 'Disallow: /search', ...(site === '' ? [] : [`Sitemap: ${site}sitemap.xml`]), ''].join('\n')
}

/** `guides-cli/install` → `guides-cli/install.md`; a folder's own page is `guides-cli/index.md`. */
function markdownPath(route: string): string {
  return route === '' || route.endsWith('/') ? `${route}index.md` : `${route}.md`
}

/** The docs plugin does not type its content for others. */
function pagesOf(content: unknown): Page[] {
  if (typeof content !== 'object' || content === null || !('loadedVersions' in content)) return []
  const versions = content.loadedVersions
  if (!Array.isArray(versions)) return []
  return versions.flatMap(({ docs }: { docs: Page[] }) => docs)
}

/** What the pages may talk to besides their own origin; the server's content security policy is made from it. */
function outsideOf({ search, tagManagerId }: SiteSettings): { searchOrigins: string[]; tagManager: boolean } {
  const named = search.hosts.map(
    ({ protocol, url, port }) => `${protocol}://${url}${port === undefined ? '' : `:${port}`}`,
  )
  const provider =
    search.backend === 'hosted' && named.length === 0 ? ['https://*.algolia.net', 'https://*.algolianet.com'] : []
  const events =
    search.eventsUrl === undefined || !URL.canParse(search.eventsUrl) ? [] : [new URL(search.eventsUrl).origin]
  return { searchOrigins: [...named, ...provider, ...events], tagManager: tagManagerId !== undefined }
}

/** What the embedded search must be asked with; nothing when a provider answers. */
function embeddedOf({ search }: SiteSettings): object {
  const { backend, indexName, appId, apiKey } = search
  return backend === 'embedded' ? { search: { indexName, appId, apiKey } } : {}
}
