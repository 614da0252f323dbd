import { existsSync } from 'node:fs'
import path from 'node:path'
import type { SidebarsConfig } from '@docusaurus/plugin-content-docs'

export type SidebarItem = Extract<SidebarsConfig[string], readonly unknown[]>[number]

const docsFolder = path.resolve(__dirname, '../docs')
/** A draft is built without the pages that are not written yet; otherwise a missing page stops the build. */
const draft = process.env['SITE_DRAFT'] === '1'

export function page(id: string, label?: string): SidebarItem[] {
  return isMissing(id) ? [] : [{ type: 'doc', id, ...(label === undefined ? {} : { label }) }]
}

export function category(label: string, id: string | undefined, items: SidebarItem[][]): SidebarItem[] {
  const children = items.flat()
  const linked = id !== undefined && !isMissing(id)
  if (children.length === 0) return linked ? page(id, label) : []
  return [
    {
      type: 'category',
      label,
      collapsed: false,
      ...(linked ? { link: { type: 'doc' as const, id } } : {}),
      items: children,
    },
  ]
}

function isMissing(id: string): boolean {
  return draft && !['.md', '.mdx'].some((extension) => existsSync(path.join(docsFolder, `${id}${extension}`)))
}
