/** The part of a page's tree that lists consist of. */
interface Node {
  type: string
  name?: string | null
  tagName?: string
  value?: string
  children?: Node[]
  attributes?: { name?: string; value?: unknown }[]
}

/** In `<div className="cards">`, a list of `[Title](page): a sentence` is drawn as cards: the colon between the two goes. */
export function cardLists() {
  return (tree: Node): void => visit(tree, false)
}

function visit(node: Node, isInCards: boolean): void {
  const inside =
    isInCards || (node.attributes ?? []).some(({ name, value }) => name === 'className' && value === 'cards')
  const [link, text] = (node.children ?? []).filter(({ value }) => value?.trim() !== '')
  if (inside && node.tagName === 'li' && link?.tagName === 'a' && text?.value?.startsWith(': '))
    text.value = capitalised(text.value.slice(2))
  for (const child of node.children ?? []) visit(child, inside)
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
