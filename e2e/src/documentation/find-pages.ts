import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Page, parsePage } from './parse-page.ts'

const FOLDER = fileURLToPath(new URL('../../../apps/website/docs/toolhaven/', import.meta.url))

export interface FoundPage extends Page {
  /** Below the folder of the product's pages. */
  path: string
}

/** Every page of the site except the generated ones of the commands. */
export async function findPages(folder = FOLDER): Promise<FoundPage[]> {
  const paths: string[] = []
  for await (const path of glob('**/*.{md,mdx}', { cwd: folder }))
    if (!path.startsWith('reference/cli/')) paths.push(path)
  return Promise.all(
    paths.toSorted().map(async (path) => ({ path, ...parsePage(await readFile(join(folder, path), 'utf8')) })),
  )
}

/** Guides and tutorials show commands to follow: each must run, or say why it cannot. */
export const mustDeclare = (path: string) => /^(guides-[^/]+|tutorials)\//.test(path)
