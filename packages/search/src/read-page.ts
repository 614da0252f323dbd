import { type DefaultTreeAdapterTypes, parse } from 'parse5'
import type { Hierarchy, Level, SearchRecord } from './record.ts'

type Node = DefaultTreeAdapterTypes.Node
type Element = DefaultTreeAdapterTypes.Element

const HEADINGS: Readonly<Record<string, Exclude<Level, 'lvl0'>>> = {
  h1: 'lvl1',
  h2: 'lvl2',
  h3: 'lvl3',
  h4: 'lvl4',
  h5: 'lvl5',
  h6: 'lvl6',
}
/** Elements that are not part of a page's text: menus, tables of contents, controls, drawings. */
const SKIPPED = new Set(['nav', 'aside', 'footer', 'script', 'style', 'svg', 'button', 'template', 'noscript', 'form'])
const SKIPPED_CLASSES = ['hash-link', 'theme-doc-toc-mobile', 'table-of-contents', 'theme-doc-version-badge']
/** What a page says of itself: it tells of what does not exist yet, or it only leads to others. */
const LATE = ['docsearch:planned', 'docsearch:leads']
const INLINE = new Set(
  'a abbr b bdi br cite code del dfn em i img ins kbd mark q s samp small span strong sub sup td th time u var wbr'.split(
    ' ',
  ),
)
/** Longer text is split into several records, so that a hit points to a short text and snippets are fast. */
const MAX_CONTENT = 1200

/** The records of one page, or none if the page asks not to be indexed. */
export function readPage(html: string, path: string): SearchRecord[] {
  const document = parse(html)
  const metas = new Map(
    findAll(document, (element) => element.tagName === 'meta').map((meta) => [
      attribute(meta, 'name'),
      attribute(meta, 'content'),
    ]),
  )
  const main = find(document, (element) => element.tagName === 'main')
  if (main === undefined || metas.get('robots')?.includes('noindex') === true) return []
  const blocks = readBlocks(main)
  const title = blocks.find(({ level }) => level === 'lvl1')?.text
  if (title === undefined) return []
  const page = {
    language: metas.get('docsearch:language') ?? 'en',
    docusaurus_tag: metas.get('docsearch:docusaurus_tag') ?? 'default',
    version: metas.get('docsearch:version') ?? 'current',
    ...(LATE.some((name) => metas.get(name) === 'true') && { ranksLate: true as const }),
  }
  return toRecords(
    { blocks, url: canonicalPath(document) ?? path, section: sectionOf(document) ?? siteName(document) ?? title },
    page,
  )
}

interface Block {
  /** The level of a heading. Undefined for text. */
  level?: Exclude<Level, 'lvl0'>
  anchor?: string
  text: string
}

type PageFacets = Pick<SearchRecord, 'language' | 'docusaurus_tag' | 'version' | 'ranksLate'>

function toRecords(
  page: { blocks: readonly Block[]; url: string; section: string },
  facets: PageFacets,
): SearchRecord[] {
  let hierarchy: Hierarchy = {
    lvl0: page.section,
    lvl1: null,
    lvl2: null,
    lvl3: null,
    lvl4: null,
    lvl5: null,
    lvl6: null,
  }
  let url = page.url
  return page.blocks.map(({ level, anchor, text }, position) => {
    if (level !== undefined) {
      hierarchy = withHeading(hierarchy, level, text)
      url = level === 'lvl1' || anchor === undefined ? page.url : `${page.url}#${anchor}`
    }
    return {
      objectID: `${page.url}:${position}`,
      url,
      type: level ?? 'content',
      content: level === undefined ? text : null,
      hierarchy,
      ...facets,
    }
  })
}

function withHeading(hierarchy: Hierarchy, level: Exclude<Level, 'lvl0'>, text: string): Hierarchy {
  const next: Hierarchy = { ...hierarchy, [level]: text }
  for (const deeper of Object.values(HEADINGS)) if (deeper > level) next[deeper] = null
  return next
}

/** Cuts a page into headings and blocks of text, in reading order. */
function readBlocks(main: Element): Block[] {
  const blocks: Block[] = []
  let text = ''
  const flush = () => {
    for (const piece of cut(collapse(text))) blocks.push({ text: piece })
    text = ''
  }
  const visit = (node: Node): void => {
    if ('value' in node && node.nodeName === '#text') text += node.value
    if (!('tagName' in node) || isSkipped(node)) return
    const level = HEADINGS[node.tagName]
    if (level !== undefined) {
      flush()
      const heading = collapse(textOf(node))
      const anchor = attribute(node, 'id')
      if (heading !== '') blocks.push({ level, text: heading, ...(anchor === undefined ? {} : { anchor }) })
      return
    }
    const isBlock = !INLINE.has(node.tagName)
    if (isBlock) flush()
    if (node.tagName === 'br' || node.tagName === 'td' || node.tagName === 'th') text += ' '
    for (const child of node.childNodes) visit(child)
    if (isBlock) flush()
  }
  visit(main)
  return blocks
}

function cut(text: string): string[] {
  const pieces: string[] = []
  let rest = text
  while (rest.length > MAX_CONTENT) {
    const space = rest.lastIndexOf(' ', MAX_CONTENT)
    const end = space > 0 ? space : MAX_CONTENT
    pieces.push(rest.slice(0, end))
    rest = rest.slice(end).trimStart()
  }
  return /[\p{L}\p{N}]/u.test(rest) ? [...pieces, rest] : pieces
}

/** The first step of the breadcrumbs that is not the home page: the top-level section of the sidebar. */
function sectionOf(document: Node): string | undefined {
  const trail = find(document, (element) => hasClass(element, 'breadcrumbs'))
  if (trail === undefined) return undefined
  return findAll(trail, (element) => element.tagName === 'li')
    .map((item) => collapse(textOf(item)))
    .find((label) => label !== '')
}

/** For a page outside the sidebar. Titles are made as `page | site`, and that of the home page is the site's name. */
function siteName(document: Node): string | undefined {
  const title = find(document, (element) => element.tagName === 'title')
  const name = title === undefined ? '' : collapse(textOf(title).split('|').at(-1) ?? '')
  return name === '' ? undefined : name
}

function canonicalPath(document: Node): string | undefined {
  const link = find(document, (element) => element.tagName === 'link' && attribute(element, 'rel') === 'canonical')
  const address = link === undefined ? undefined : attribute(link, 'href')
  return address !== undefined && URL.canParse(address) ? new URL(address).pathname : undefined
}

function isSkipped(element: Element): boolean {
  return SKIPPED.has(element.tagName) || SKIPPED_CLASSES.some((name) => hasClass(element, name))
}

function textOf(node: Node): string {
  if ('value' in node && node.nodeName === '#text') return node.value
  if (!('childNodes' in node) || ('tagName' in node && isSkipped(node))) return ''
  return node.childNodes.map(textOf).join('')
}

/** One space for any run of them; the invisible characters that anchors carry go. */
function collapse(text: string): string {
  return text
    .replace(/[\u200B\uFEFF]/g, '')
    .replace(/\s+/g, ' ')
    .trim()
}

function hasClass(element: Element, name: string): boolean {
  return attribute(element, 'class')?.split(/\s+/).includes(name) ?? false
}

function attribute(element: Element, name: string): string | undefined {
  return element.attrs.find((attr) => attr.name === name)?.value
}

function find(node: Node, matches: (element: Element) => boolean): Element | undefined {
  return findAll(node, matches)[0]
}

function findAll(node: Node, matches: (element: Element) => boolean): Element[] {
  const own = 'tagName' in node && matches(node) ? [node] : []
  return 'childNodes' in node ? [...own, ...node.childNodes.flatMap((child) => findAll(child, matches))] : own
}
