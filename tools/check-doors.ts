import { existsSync, globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import * as z from 'zod'
import { report } from './report.ts'

const manifest = z.object({ exports: z.record(z.string(), z.string()) })

/** Every file of this package may be imported, because the package is the API. */
const OPEN = 'packages/contract/package.json'

const IMPORT = /^(?:.*\b(?:from|import)|\} from) ?\(?'([^'\n]+)'/gm

/**
 * The doors of each package, its `exports`, are named one by one or a folder at a time. A door that nothing outside goes
 * through is closed; one that leads nowhere is a mistake.
 */
export function checkDoors(root: string): string[] {
  const manifests = globSync('packages/*/package.json', { cwd: root }).toSorted()
  if (manifests.length === 0) return ['near-zero: there is no package to look at']
  const imports = allImports(root)
  const imported = new Set(imports.map(({ name }) => name).filter((name) => name.startsWith('@toolhaven/')))
  return [
    ...manifests.flatMap((file) => doorProblems(root, file, imported)),
    ...imports
      .filter(isAroundTheDoors)
      .map(({ file, name }) => `${file}: imports ${name}; go through the package's name`),
  ]
}

interface Import {
  file: string
  name: string
}

/** Whether an import is a path into a package from outside that package. */
function isAroundTheDoors({ file, name }: Import): boolean {
  if (!name.startsWith('.')) return false
  const [top, folder] = path.join(path.dirname(file), name).split(path.sep)
  const [ownTop, ownFolder] = file.split(path.sep)
  return top === 'packages' && (top !== ownTop || folder !== ownFolder)
}

function doorProblems(root: string, file: string, imported: ReadonlySet<string>): string[] {
  const folder = path.dirname(file)
  const parsed = manifest.safeParse(JSON.parse(readFileSync(path.join(root, file), 'utf8')))
  if (!parsed.success) return [`${file}: name the doors of the package in "exports"`]
  return Object.entries(parsed.data.exports).flatMap(([door, target]) => {
    if (door === './*') return file === OPEN ? [] : [`${file}: "./*" lets everything in; name the doors`]
    if (globSync(target, { cwd: path.join(root, folder) }).length === 0) {
      return [`${file}: the door ${door} leads to ${target}, which does not exist`]
    }
    const name = `@toolhaven/${path.basename(folder)}${door.slice(1)}`
    const [before = '', after] = name.split('*')
    const isUsed =
      after === undefined
        ? imported.has(name)
        : [...imported].some((one) => one.startsWith(before) && one.endsWith(after))
    return isUsed ? [] : [`${file}: nothing imports ${name}; close the door`]
  })
}

function allImports(root: string): Import[] {
  const folders = ['apps', 'packages', 'tools', 'e2e', 'bench', 'conformance', 'fuzz', 'vitest.config.ts']
  const files = folders
    .filter((folder) => existsSync(path.join(root, folder)))
    .flatMap((folder) =>
      folder.endsWith('.ts')
        ? [folder]
        : globSync(`${folder}/**/*.{ts,tsx,mjs}`, {
            cwd: root,
            exclude: (name) => ['node_modules', 'dist', 'build'].includes(path.basename(name)),
          }),
    )
  return files.flatMap((file) => {
    const text = readFileSync(path.join(root, file), 'utf8')
    return [...text.matchAll(IMPORT)].map(([, name = '']) => ({ file, name }))
  })
}

if (import.meta.main) {
  report(checkDoors(path.resolve(import.meta.dirname, '..')), 'every package names its doors, and all of them are used')
}
