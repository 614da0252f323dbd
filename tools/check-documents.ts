import { existsSync, globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { report } from './report.ts'

/** Links and paths in a Markdown file that lead nowhere. `exists` is asked for paths relative to the repository. */
export function documentProblems(file: string, text: string, exists: (target: string) => boolean): string[] {
  const prose = text.replaceAll(/^```.*?^```/gms, '')
  const links = [...prose.matchAll(/\]\(([^)\s#]+)(?:#[^)]*)?\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/i.test(target))
    .map((target) => path.posix.join(path.posix.dirname(file), target))
  // A path with a placeholder or a pattern in it is an example, not a place; `tools/list` and `tools/call` are MCP methods;
  // what is in `dist` is there once it is built.
  const places = [...prose.matchAll(/`((?:apps|packages|tools|docs)\/[^`\s]*)`/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/[<>*{}…]|\/dist\/|^tools\/(?:list|call)$/.test(target))
  return [...links, ...places].filter((target) => !exists(target)).map((target) => `${file}: there is no ${target}`)
}

if (import.meta.main) {
  const root = path.resolve(import.meta.dirname, '..')
  const files = globSync(['*.md', 'docs/*.md', 'docs/{checklists,decisions}/*.md', 'bench/*.md'], { cwd: root })
  const problems = files.flatMap((file) =>
    documentProblems(file, readFileSync(path.join(root, file), 'utf8'), (target) =>
      existsSync(path.join(root, target)),
    ),
  )
  report(
    files.length === 0 ? ['there are no documents'] : problems,
    `${files.length} documents point at things that exist`,
  )
}
