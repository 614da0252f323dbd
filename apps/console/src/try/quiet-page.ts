/** What text is made of. None of them loads, leads anywhere or takes input. */
const ELEMENTS: ReadonlySet<string> = new Set(
  (
    'a abbr address article aside b blockquote br caption center cite code col colgroup dd del details dfn div dl dt em ' +
    'figcaption figure footer h1 h2 h3 h4 h5 h6 header hr i img ins kbd li main mark nav ol p pre q s samp section small ' +
    'span strong sub summary sup table tbody td tfoot th thead time tr u ul var wbr'
  ).split(' '),
)
const ATTRIBUTES = ['alt', 'colspan', 'dir', 'lang', 'open', 'reversed', 'rowspan', 'scope', 'start', 'title']
/** Of these not even the text is for readers. */
const UNREAD: ReadonlySet<string> = new Set(['script', 'style', 'template', 'title'])
/** Deeper than a person nests. What is below keeps its text. */
const DEEPEST = 200

/**
 * A page of a server without whatever reaches out. Browsers look up and connect to hosts that a `<link>` names (`preconnect`,
 * `dns-prefetch`) whatever the policy of the page says, so a server without a network could send words out as names of hosts.
 */
export function quietPage(html: string): string {
  // A document that is not shown loads nothing.
  const theirs = new DOMParser().parseFromString(html, 'text/html')
  const ours = document.implementation.createHTMLDocument('')
  copyInto(ours.body, theirs.documentElement, 0)
  return ours.body.innerHTML
}

function copyInto(target: Element, source: Element, depth: number): void {
  for (const node of source.childNodes) {
    if (node.nodeType === Node.TEXT_NODE) target.append(node.textContent ?? '')
    if (!(node instanceof Element) || UNREAD.has(node.localName)) continue
    if (depth >= DEEPEST) target.append(node.textContent)
    else copyInto(ELEMENTS.has(node.localName) ? shellIn(target, node) : target, node, depth + 1)
  }
}

function shellIn(target: Element, source: Element): Element {
  const shell = target.ownerDocument.createElement(source.localName)
  for (const name of ATTRIBUTES) {
    const value = source.getAttribute(name)
    if (value !== null) shell.setAttribute(name, value)
  }
  const picture = source.localName === 'img' ? source.getAttribute('src') : null
  if (picture !== null && /^data:image\//i.test(picture)) shell.setAttribute('src', picture)
  target.append(shell)
  return shell
}
