import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { COMMANDS, GROUPS } from '../apps/cli/src/commands.ts'
import { SUMMARY } from '../apps/cli/src/parse.ts'
import { referencePages } from '../apps/cli/src/reference-page.ts'

/** Writes a reference page of the website for every command and removes those of commands that are gone. */
const folder = new URL('../apps/website/docs/toolhaven/reference/cli/', import.meta.url)

const pages = new Map(
  referencePages({ commands: COMMANDS, groups: GROUPS, summary: SUMMARY }).map(({ file, text }) => [file, text]),
)
const present = await readdir(folder).catch((): string[] => [])
const surplus = present.filter((file) => !pages.has(file))
const stale: string[] = []
for (const [file, text] of pages) {
  const current = await readFile(new URL(file, folder), 'utf8').catch(() => undefined)
  if (current !== text) stale.push(file)
}

if (process.argv.includes('--check')) {
  const wrong = [...surplus, ...stale].toSorted()
  if (wrong.length > 0) {
    process.stderr.write(
      `stale in apps/website/docs/toolhaven/reference/cli: ${wrong.join(', ')}; run npm run generate\n`,
    )
    process.exitCode = 1
  }
} else {
  await mkdir(folder, { recursive: true })
  for (const file of surplus) await rm(new URL(file, folder), { recursive: true })
  for (const file of stale) await writeFile(new URL(file, folder), pages.get(file) ?? '')
}
