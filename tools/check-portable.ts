import { execFileSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { report } from './report.ts'

/** Lines that tie the repository to one machine or one package host. Where packages come from is the user's configuration. */
export function portabilityProblems(file: string, text: string, forbidden: readonly string[]): string[] {
  return text
    .split('\n')
    .flatMap((line, index) =>
      forbidden
        .filter((word) => line.toLowerCase().includes(word))
        .map((word) => `${file}:${index + 1}: names ${word}`),
    )
}

/** Assembled here, or this file would be the first to break its rule. */
export function forbiddenWords(root: string, env: Readonly<Record<string, string | undefined>>): string[] {
  const hosts = [
    ['registry', 'npmjs', 'org'],
    ['registry', 'yarnpkg', 'com'],
    ['files', 'pythonhosted', 'org'],
    ['pypi', 'org'],
    ['deb', 'debian', 'org'],
    ['proxy', 'golang', 'org'],
  ].map((parts) => parts.join('.'))
  const configured = [env['npm_config_registry'], env['PIP_INDEX_URL'], env['UV_INDEX_URL'], env['GOPROXY']]
    .flatMap((value) => value?.split(',') ?? [])
    .filter((value) => URL.canParse(value))
    .map((value) => new URL(value).hostname)
  const local = new Set(['localhost', '127.0.0.1', '[::1]'])
  return [...new Set([...hosts, ...configured, root])]
    .map((word) => word.toLowerCase())
    .filter((word) => !local.has(word))
}

if (import.meta.main) {
  const root = path.resolve(import.meta.dirname, '..')
  const files = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' }).split('\0').filter(Boolean)
  const words = forbiddenWords(root, process.env)
  const problems = files
    .filter((file) => statSync(path.join(root, file), { throwIfNoEntry: false })?.isFile())
    .flatMap((file) => portabilityProblems(file, readFileSync(path.join(root, file), 'utf8'), words))
  report(
    files.length === 0 ? ['git lists no files'] : problems,
    `${files.length} files name no machine path and no package host`,
  )
}
