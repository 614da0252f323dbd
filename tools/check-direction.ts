import { globSync } from 'node:fs'
import path from 'node:path'
import { cruise } from 'dependency-cruiser'
import { cruiseOptions, directionRules, resolveOptions } from './direction-rules.ts'
import { report } from './report.ts'

export interface Direction {
  modules: number
  /** `rule: from → to`, and a line when too little was looked at. */
  problems: string[]
}

/** Which way imports go. A checker that cannot read the sources sees no violation either, so their number is checked too. */
export async function checkDirection(folder: string): Promise<Direction> {
  const files = globSync('{apps,packages}/*/{src,bin,test}/**/*.{ts,tsx,mjs}', {
    cwd: folder,
    exclude: (name) => name === 'node_modules',
  })
  const { output } = await cruise(
    files.toSorted(),
    { ...cruiseOptions, baseDir: folder, validate: true, ruleSet: { forbidden: directionRules } },
    resolveOptions,
  )
  if (typeof output === 'string') throw new Error('dependency-cruiser answered with text instead of a result')
  const seen = new Set(output.modules.map(({ source }) => source))
  const unseen = files.filter((file) => !seen.has(file))
  const problems = output.summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`)
  if (files.length === 0) problems.push('near-zero: there is no source file to look at')
  if (unseen.length > 0)
    problems.push(
      `near-zero: ${unseen.length} of ${files.length} source files were not looked at: ${unseen.slice(0, 5).join(', ')}`,
    )
  const imports = output.summary.totalDependenciesCruised ?? 0
  if (files.length > 10 && imports < files.length) {
    problems.push(`near-zero: ${imports} imports in ${files.length} files`)
  }
  return { modules: output.modules.length, problems }
}

if (import.meta.main) {
  const { modules, problems } = await checkDirection(path.resolve(import.meta.dirname, '..'))
  report(problems, `${modules} modules keep the direction`)
}
