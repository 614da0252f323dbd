import { readdirSync } from 'node:fs'
import path from 'node:path'
import type { SidebarItem } from './sidebar-items'

const FOLDER = 'toolhaven/reference/cli'

/** A tree of the command pages, from their file names: `thv_config_otel_get-endpoint` lies below `otel` below `config`. */
export function cliSidebar(label: string): SidebarItem[] {
  const names = readdirSync(path.resolve(__dirname, '../docs', FOLDER))
    .filter((file) => /\.mdx?$/.test(file))
    .map((file) => file.replace(/\.mdx?$/, ''))
    .toSorted()
  return names.includes('thv') ? [command('thv', names, label)] : []
}

function command(name: string, names: readonly string[], label: string): SidebarItem {
  const below = names.filter((other) => parentOf(other, names) === name)
  const id = `${FOLDER}/${name}`
  if (below.length === 0) return { type: 'doc', id, label }
  return {
    type: 'category',
    label,
    collapsed: true,
    link: { type: 'doc', id },
    items: below.map((child) => command(child, names, child.slice(name.length + 1).replaceAll('_', ' '))),
  }
}

/** The nearest command that has a page of its own. */
function parentOf(name: string, names: readonly string[]): string | undefined {
  const words = name.split('_')
  for (let length = words.length - 1; length > 0; length -= 1) {
    const candidate = words.slice(0, length).join('_')
    if (names.includes(candidate)) return candidate
  }
  return undefined
}
