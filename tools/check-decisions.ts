import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { report } from './report.ts'

/** File name and text of each decision. */
export type Decisions = ReadonlyMap<string, string>

/** The index names every decision by its number and title, in order. */
export function indexProblems(index: string, decisions: Decisions): string[] {
  const wanted = [...decisions].toSorted(([a], [b]) => a.localeCompare(b)).map(([file, text]) => lineOf(file, text))
  const found = index.split('\n').filter((line) => /^\* \[\d{4}\]/.test(line))
  const missing = wanted.filter((line) => !found.includes(line)).map((line) => `the index of decisions lacks: ${line}`)
  const foreign = found.filter((line) => !wanted.includes(line)).map((line) => `no decision has this line: ${line}`)
  const isInOrder = found.every((line, at) => at === 0 || line > (found[at - 1] ?? ''))
  return [...missing, ...foreign, ...(isInOrder ? [] : ['the index of decisions is not in the order of the numbers'])]
}

function lineOf(file: string, text: string): string {
  const number = file.slice(0, 4)
  const [heading = ''] = text.split('\n')
  const title = heading.startsWith(`# ${number} `) ? heading.slice('# 0000 '.length) : `(its heading lacks ${number})`
  return `* [${number}](${file}) ${title}`
}

/** Numbers of decisions that do not exist, and links whose text names a different decision than their target. */
export function numberProblems(file: string, text: string, decisions: Decisions): string[] {
  const numbers = new Set([...decisions.keys()].map((name) => name.slice(0, 4)))
  const named = [...text.matchAll(/\bdecisions?[\s[]+(\d{4})(?:[\s\])]+(?:and|to)[\s[]+(\d{4}))?/gi)]
    .flatMap(([, first, second]) => [first, second])
    .filter((number) => number !== undefined && !numbers.has(number))
    .map((number) => `${file}: there is no decision ${number}`)
  const links = [...text.matchAll(/\[([^\]]*\b(\d{4}))\]\([^)\s]*\b(\d{4})-[a-z0-9-]+\.md\)/g)]
    .filter(([, , said, target]) => said !== target)
    .map(([, said, , target]) => `${file}: "${said}" leads to decision ${target}`)
  return [...named, ...links]
}

if (import.meta.main) {
  const root = path.resolve(import.meta.dirname, '..')
  const folder = path.join(root, 'docs/decisions')
  const read = (file: string) => readFileSync(path.join(root, file), 'utf8')
  const decisions = new Map(globSync('0*.md', { cwd: folder }).map((file) => [file, read(`docs/decisions/${file}`)]))
  const files = globSync(
    ['*.md', 'docs/**/*.md', '{apps,packages}/*/{src,test,tests,bin}/**/*.{ts,tsx,mjs}', '{tools,e2e,bench}/**/*.ts'],
    { cwd: root, exclude: (name) => name === 'node_modules' },
  ).filter((file) => !file.startsWith('tools/check-decisions'))
  report(
    [
      ...indexProblems(read('docs/decisions/README.md'), decisions),
      ...files.flatMap((file) => numberProblems(file, read(file), decisions)),
    ],
    `${decisions.size} decisions are in their index, and every number leads to the decision that is meant`,
  )
}
