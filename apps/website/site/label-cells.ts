/** The part of a page's tree that tables consist of. */
interface Node {
  type: string
  tagName?: string
  value?: string
  children?: Node[]
  properties?: Record<string, unknown>
}

/**
 * Gives the cells of a table the titles of their columns: on narrow screens a row becomes a list of titles and cells (docs.css).
 * The first cell needs none, and neither does the second of two.
 */
export function labelCells() {
  return (tree: Node): void => visitTables(tree)
}

function visitTables(node: Node): void {
  if (node.tagName !== 'table') return (node.children ?? []).forEach(visitTables)
  const titles = elements(node, 'th').map(textOf)
  if (titles.length < 3) return
  for (const row of elements(node, 'tr')) {
    for (const [at, cell] of elements(row, 'td').entries()) {
      if (at > 0) cell.properties = { ...cell.properties, dataLabel: titles[at] ?? '' }
    }
  }
}

function elements(node: Node, name: string): Node[] {
  return (node.children ?? []).flatMap((child) => (child.tagName === name ? [child] : elements(child, name)))
}

function textOf(node: Node): string {
  return (node.value ?? '') + (node.children ?? []).map(textOf).join('')
}
