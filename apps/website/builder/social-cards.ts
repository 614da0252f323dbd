import { diagramName } from './diagram-name.ts'

/** What a link to a page shows in a chat or a post: one card for each part of the site. */
interface Card {
  title: string
  sentence: string
}

const GENERAL: Card = { title: 'Toolhaven', sentence: 'Run MCP servers in isolation. Reach them from every AI client.' }

/** By the start of a page's path below `docs`; the first that fits counts. */
const SECTIONS: readonly (readonly [start: string, card: Card])[] = [
  ['toolhaven/guides-cli/', { title: 'CLI guides', sentence: 'Run, connect and understand MCP servers with thv.' }],
  ['toolhaven/guides-ui/', { title: 'UI guides', sentence: 'Run, connect and understand MCP servers in the browser.' }],
  ['toolhaven/guides-k8s/', { title: 'Kubernetes guides', sentence: 'MCP servers in a cluster.' }],
  ['toolhaven/concepts/', { title: 'Concepts', sentence: 'How MCP and Toolhaven work.' }],
  ['toolhaven/tutorials/', { title: 'Tutorials', sentence: 'Step by step, from a fresh machine to a working setup.' }],
  ['toolhaven/reference/', { title: 'Reference', sentence: 'Every command, operation and field.' }],
]

export const allCards: readonly Card[] = [GENERAL, ...SECTIONS.map(([, card]) => card)]

export function cardOf(pathOfPage: string): Card {
  return SECTIONS.find(([start]) => pathOfPage.startsWith(start))?.[1] ?? GENERAL
}

/** Named after what is on it, the logo apart: a changed card has no picture until it is drawn, and no reader is shown an old one. */
export function cardFile(card: Card): string {
  return `${diagramName(cardPage(card, ''))}.png`
}

/** The card as a page of 1200 × 630, in the dark colours of packages/theme. */
export function cardPage({ title, sentence }: Card, logo: string): string {
  const product = title === GENERAL.title ? '' : '<span>Toolhaven</span>'
  return `<!doctype html><meta charset="utf-8"><style>
* { margin: 0; box-sizing: border-box }
body { width: 1200px; height: 630px; padding: 84px 96px; background: #081217; color: #9fb5b9; font: 40px system-ui, sans-serif;
  display: flex; flex-direction: column; border-bottom: 14px solid #56d8bc }
header { display: flex; align-items: start; gap: 28px; color: #f2f8f7; font-weight: 600; flex: 1 }
header svg { width: 96px; height: 96px } header span { line-height: 96px }
h1 { color: #f2f8f7; font-size: 92px; line-height: 1.1; margin-bottom: 24px }
p { line-height: 1.35 }
</style><header>${logo}${product}</header><h1>${title}</h1><p>${sentence}</p>`
}
