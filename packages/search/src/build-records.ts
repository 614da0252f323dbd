import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readPage } from './read-page.ts'
import type { SearchRecord } from './record.ts'

/** Makes the search records of a built site: one for every heading and every block of text of its pages. */
export async function buildRecords(buildDir: string): Promise<SearchRecord[]> {
  const files: string[] = []
  for await (const file of glob('**/*.html', { cwd: buildDir })) files.push(file)
  const pages = await Promise.all(
    files.toSorted().map(async (file) => readPage(await readFile(join(buildDir, file), 'utf8'), pathOf(file))),
  )
  return pages.flat()
}

/** The address under which a static server answers with this file. */
function pathOf(file: string): string {
  return `/${file.replaceAll('\\', '/').replace(/(^|\/)index\.html$|\.html$/, '')}`
}
