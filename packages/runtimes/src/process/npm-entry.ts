import { join, normalize } from 'node:path'
import { invalid } from '@toolhaven/core/errors'
import { z } from 'zod'
import { readInside } from './package-cache.ts'
import type { PackageManifest } from './package-manifest.ts'

const binSchema = z.object({ bin: z.union([z.string(), z.record(z.string(), z.string())]).optional() })

/** The program of an installed package that `npx NAME` would run. */
export async function npmEntry(folder: string, name: string): Promise<Pick<PackageManifest, 'entry' | 'interpreter'>> {
  const packageDir = join('node_modules', name)
  const manifest = await readInside(folder, join(packageDir, 'package.json'))
  const { bin } = binSchema.parse(JSON.parse(manifest ?? '{}'))
  const entry = join(packageDir, inside(chooseBin(name, bin), name))
  const beginning = await readInside(folder, entry, 256)
  if (beginning === undefined)
    throw invalid(`The npm package ${name} names a program that it does not contain (${entry}). Try another version.`)
  return { entry, interpreter: interpreterOf(entry, beginning) }
}

/** https://docs.npmjs.com says nothing about it. npx takes the only one, or the one named like the package. */
export function chooseBin(name: string, bin: string | Record<string, string> | undefined): string {
  if (typeof bin === 'string') return bin
  const entries = Object.entries(bin ?? {})
  const [first] = entries
  if (first === undefined)
    throw invalid(`The npm package ${name} has no program to run, so it cannot be a server. Check its name.`)
  const paths = new Set(entries.map(([, path]) => path))
  if (paths.size === 1) return first[1]
  const unscoped = name.replace(/^@[^/]+\//, '')
  const same = entries.find(([program]) => program === unscoped)
  if (same !== undefined) return same[1]
  const names = entries.map(([program]) => program).join(', ')
  throw invalid(
    `The npm package ${name} has several programs (${names}) and none is named like it, so it cannot be started by its name alone.`,
  )
}

function inside(path: string, name: string): string {
  const clean = normalize(path)
  if (clean.startsWith('..') || clean.startsWith('/'))
    throw invalid(`The npm package ${name} names a program outside of itself. Do not use it.`)
  return clean
}

/** Node programs run with our Node and the flags of their first line, whatever `node` the machine has. */
export function interpreterOf(path: string, beginning: string): PackageManifest['interpreter'] {
  const firstLine = beginning.split(/\r?\n/, 1)[0] ?? ''
  const node = /^#!\s*\S*?(?:env\s+(?:-S\s+)?)?(?:\S*\/)?node(?:js)?(?:\s+(.*))?$/.exec(firstLine)
  if (node !== null) return { kind: 'node', args: (node[1] ?? '').split(/\s+/).filter(Boolean) }
  if (!firstLine.startsWith('#!') && /\.[cm]?js$/.test(path)) return { kind: 'node', args: [] }
  return { kind: 'none' }
}
