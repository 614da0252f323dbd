import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readPage } from './read-page.ts'
import type { SearchRecord } from './record.ts'

/** Builds the search records of a built site: one for every heading and every block of text. */
export async function buildRecords(buildDir: string): Promise<SearchRecord[]> {
  const files: string[] = []
  for await (const file of glob('**/*.html', { cwd: buildDir })) if (file !== NOT_FOUND) files.push(file)
  const pages = await Promise.all(
    files.toSorted().map(async (file) => readPage(await readFile(join(buildDir, file), 'utf8'), pathOf(file))),
  )
  return pages.flat()
}

/** The page for unknown addresses, which nobody searches for. */
const NOT_FOUND = '404.html'

/** The address under which a static server answers with this file. */
function pathOf(file: string): string {
  return `/${file.replaceAll('\\', '/').replace(/(^|\/)index\.html$|\.html$/, '')}`
}
