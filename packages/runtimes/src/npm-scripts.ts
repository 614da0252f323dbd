const LEFT_OUT = 'toolhaven: left out '

/**
 * Runs the install scripts of a folder of npm packages: `node run-scripts.cjs FOLDER npm rebuild …`. "npm rebuild"
 * fails for an optional dependency, which "npm install" would leave out. So those are built one by one, before the
 * packages that may use them. One that fails is removed; packages that need it stay.
 */
export const RUN_SCRIPTS = `const { spawnSync } = require('child_process')
const { readFileSync, rmSync } = require('fs')
const { join } = require('path')

const [folder, command, ...args] = process.argv.slice(2)
const { packages } = JSON.parse(readFileSync(join(folder, 'node_modules', '.package-lock.json'), 'utf8'))
const installed = Object.keys(packages).filter((path) => path !== '' && !packages[path].link)
const optional = installed.filter((path) => packages[path].optional && packages[path].hasInstallScript)
// All of them: npm also builds packages that have only a binding.gyp, which the lock file does not say.
const required = installed.filter((path) => !packages[path].optional)

const rebuild = (paths) => {
  const folders = paths.map((path) => join(folder, path))
  return spawnSync(command, [...args, ...folders], { stdio: 'inherit' }).status === 0
}

const missing = []
for (const path of optional) {
  if (rebuild([path])) continue
  rmSync(join(folder, path), { recursive: true, force: true })
  missing.push(path.split('node_modules/').pop())
}
// Without paths npm takes every package.
const isDone = optional.length > 0 && required.length === 0
process.exitCode = isDone || rebuild(optional.length > 0 ? required : []) ? 0 : 1
// Last, because only the end of a long output is kept.
for (const name of missing) process.stdout.write('\\n${LEFT_OUT}' + name + '\\n')
`

/** The same output without these lines, which come last and do not explain a failure. */
export function withoutLeftOut(output: string): string {
  return output
    .split('\n')
    .filter((line) => !line.startsWith(LEFT_OUT))
    .join('\n')
}

/** The optional packages that were left out, or undefined. For people: scripts write to the same output. */
export function leftOut(output: string): string | undefined {
  const names = output.split('\n').flatMap((line) => (line.startsWith(LEFT_OUT) ? [line.slice(LEFT_OUT.length)] : []))
  if (names.length === 0) return undefined
  return `left out ${names.join(', ').slice(0, 200)}, which ${names.length === 1 ? 'is' : 'are'} optional`
}
