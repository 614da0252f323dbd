import type { SearchRecord } from '../../src/record.ts'
import { readPage } from '../../src/read-page.ts'

/** A small manual with titles, headings and text that lie close to one another. */
const PAGES: Record<string, string> = {
  '/guides/install':
    '<h1>Install</h1><p>Get the program.<h2 id=linux>Linux</h2><p>Use the package <b>&lt;name&gt;</b>.<h2 id=windows>Windows</h2><p>Run the installer.',
  '/guides/run':
    '<h1>Run servers</h1><p>Start a server in isolation.<h2 id=stop>Stop a server</h2><p>It ends within ten seconds.',
  '/guides/network':
    '<h1>Network isolation</h1><p>Allow hosts one by one.<h2 id=proxy>Behind a proxy</h2><p>The network of the server sees only the gateway.',
  '/guides/secrets':
    '<h1>Secrets management</h1><p>Keep a token out of files.<h2 id=providers>Providers</h2><p>The keyring, or one that you run.',
  '/reference/registry': '<h1>Registry schema</h1><p>Every field of an entry. A registry lists servers.',
  '/reference/quickstart': '<h1>Quickstart</h1><p>From nothing to a first server.',
}

export const records: SearchRecord[] = Object.entries(PAGES).flatMap(([path, main]) => {
  const section = path.startsWith('/guides') ? 'Guides' : 'Reference'
  const language = path === '/reference/registry' ? 'de' : 'en'
  return readPage(
    `<meta name="docsearch:language" content="${language}"><main><ul class=breadcrumbs><li>${section}</ul>${main}</main>`,
    path,
  )
    .filter(({ content }) => content !== section)
    .map((record) => ({ ...record, hierarchy: { ...record.hierarchy, lvl0: section } }))
})
