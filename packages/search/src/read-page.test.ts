import { describe, expect, it } from 'vitest'
import { readPage } from './read-page.ts'

const page = (main: string, head = '') =>
  `<!doctype html><html><head><link rel=canonical href="http://site.test/docs/stop"><meta name="docsearch:language" content="en">
  <meta name="docsearch:docusaurus_tag" content="docs-default-current">${head}</head><body><nav>Menu</nav><main>${main}</main></body></html>`
const TRAIL =
  '<nav class="theme-doc-breadcrumbs"><ul class="breadcrumbs"><li><a href="/"><svg></svg></a></li><li>CLI guides</li><li>Stop</li></ul></nav>'

describe('the records of a page', () => {
  it('are its headings and blocks of text, each with the headings above it', () => {
    const html = page(
      `${TRAIL}<h1>Stop</h1><p>Ask it to end.<h2 id=force>Force<a class="hash-link" href="#force">​</a></h2><p>Kill it.`,
    )
    expect(
      readPage(html, '/elsewhere').map(({ url, type, content, hierarchy }) => [
        url,
        type,
        content,
        hierarchy.lvl0,
        hierarchy.lvl1,
        hierarchy.lvl2,
      ]),
    ).toEqual([
      ['/docs/stop', 'lvl1', null, 'CLI guides', 'Stop', null],
      ['/docs/stop', 'content', 'Ask it to end.', 'CLI guides', 'Stop', null],
      ['/docs/stop#force', 'lvl2', null, 'CLI guides', 'Stop', 'Force'],
      ['/docs/stop#force', 'content', 'Kill it.', 'CLI guides', 'Stop', 'Force'],
    ])
  })

  it('belong to the section that the breadcrumbs begin with, else to the site by its name, else to the page', () => {
    const sections = [page(`${TRAIL}<h1>A</h1>`), page('<h1>A</h1>', '<title>A | The site</title>'), page('<h1>A</h1>')]
    expect(sections.map((html) => readPage(html, '/x')[0]?.hierarchy.lvl0)).toEqual(['CLI guides', 'The site', 'A'])
  })

  it('carry the facets of the page and an id of their own', () => {
    const records = readPage(page('<h1>Stop</h1><p>One</p><p>Two</p>'), '/x')
    expect(records[0]).toMatchObject({ language: 'en', docusaurus_tag: 'docs-default-current' })
    expect(new Set(records.map(({ objectID }) => objectID)).size).toBe(records.length)
  })

  it('forget deeper headings at the next higher one', () => {
    const records = readPage(page('<h1>A</h1><h2 id=b>B</h2><h3 id=c>C</h3><h2 id=d>D</h2><p>Text</p>'), '/x')
    expect(records.at(-1)?.hierarchy).toMatchObject({ lvl2: 'D', lvl3: null })
  })

  it('keep a table row, a list item and a command together and leave controls out', () => {
    const records = readPage(
      page(
        '<h1>A</h1><table><tr><td>PORT<td>a number</table><ul><li>one <code>two</code><ul><li>inner</ul></ul><pre><code><span>thv run</span><br><span>time</span></code></pre><button>Copy</button>',
      ),
      '/x',
    )
    expect(records.slice(1).map(({ content }) => content)).toEqual([
      'PORT a number',
      'one two',
      'inner',
      'thv run time',
    ])
  })

  it('are several where a text is long, and lose no word', () => {
    const words = Array.from({ length: 600 }, (_, at) => `word${at}`)
    const contents = readPage(page(`<h1>A</h1><p>${words.join(' ')}`), '/x')
      .slice(1)
      .map(({ content }) => content ?? '')
    expect(contents.length).toBeGreaterThan(1)
    expect(contents.join(' ').split(' ')).toEqual(words)
  })

  it.each([
    ['asks not to be indexed', page('<h1>A</h1>', '<meta name=robots content="noindex, follow">')],
    ['has no heading', page('<p>Only text')],
    ['has no main part', '<p>Nothing'],
  ])('are none where the page %s', (_, html) => {
    expect(readPage(html, '/x')).toEqual([])
  })
})
