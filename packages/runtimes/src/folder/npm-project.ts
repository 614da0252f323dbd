import { stat } from 'node:fs/promises'
import { join, normalize } from 'node:path'
import { describeError, invalid } from '@toolhaven/core/errors'
import { isNestedDeeper, MOST_LEVELS } from '@toolhaven/core/json/nesting'
import { FOLDER_PLACE } from '@toolhaven/core/workloads/mounts'
import { z } from 'zod'
import { interpreterOf } from '../process/npm-entry.ts'
import { readInside } from '../process/package-cache.ts'
import { SANDBOX_NODE } from '../process/sandbox-plan.ts'
import type { Project, ProjectPackages, StartCommand } from './start-command.ts'

const dependencies = z.record(z.string(), z.string()).optional()

const packageSchema = z.looseObject({
  name: z.string().optional(),
  bin: z.union([z.string(), z.record(z.string(), z.string())]).optional(),
  main: z.string().optional(),
  scripts: z.looseObject({ start: z.string().optional() }).optional(),
  workspaces: z.unknown().optional(),
  overrides: z
    .unknown()
    .optional()
    .refine((value) => !isNestedDeeper(value), { error: `nests deeper than ${MOST_LEVELS} levels` }),
  dependencies,
  devDependencies: dependencies,
  optionalDependencies: dependencies,
  peerDependencies: dependencies,
})
type PackageJson = z.infer<typeof packageSchema>

/** The file of a big monorepo has a few MiB. */
const MOST_LOCK_BYTES = 32 * 2 ** 20

/** Undefined without a package.json. */
export async function readNpmProject(folder: string, isStartGiven: boolean): Promise<Project | undefined> {
  const text = await readInside(folder, 'package.json')
  if (text === undefined) return undefined
  const json = parsePackageJson(folder, text)
  const packages = await packagesOf(folder, json)
  const start = isStartGiven ? undefined : await startOf(folder, json)
  return { ...(packages && { packages }), ...(start && { start }) }
}

function parsePackageJson(folder: string, text: string): PackageJson {
  try {
    return packageSchema.parse(JSON.parse(text))
  } catch (error) {
    const why = error instanceof z.ZodError ? z.prettifyError(error) : describeError(error)
    throw invalid(`${join(folder, 'package.json')} cannot be used: ${why.replaceAll(/\s*\n\s*/g, ' ')}.`, error)
  }
}

/** What npm needs to know about the project, without anything that would run: its scripts are for its own folder. */
async function packagesOf(folder: string, json: PackageJson): Promise<ProjectPackages | undefined> {
  // An existing node_modules counts, as it does without Toolhaven.
  if ((await stat(join(folder, 'node_modules')).catch(() => undefined))?.isDirectory()) return undefined
  const { name, version, workspaces, overrides } = json
  const { dependencies: own, devDependencies, optionalDependencies, peerDependencies } = json
  const wanted = { ...own, ...devDependencies, ...optionalDependencies, ...peerDependencies }
  const local = Object.entries(wanted).find(([, range]) => /^(?:file|link|workspace|portal):/.test(range))
  if (workspaces !== undefined || local !== undefined)
    throw invalid(
      `${folder} needs ${local ? `the package ${local[0]} from a folder (${local[1]})` : 'its workspaces'}, which Toolhaven does not install. Run "npm install" in it: then Toolhaven uses its node_modules.`,
    )
  if (Object.keys(wanted).length === 0) return undefined
  const fields = { dependencies: own, devDependencies, optionalDependencies, peerDependencies }
  const reduced = { private: true, name, version, overrides, ...fields }
  const lock =
    (await readInside(folder, 'npm-shrinkwrap.json', MOST_LOCK_BYTES)) ??
    (await readInside(folder, 'package-lock.json', MOST_LOCK_BYTES))
  const files = { 'package.json': JSON.stringify(reduced), ...(lock !== undefined && { 'package-lock.json': lock }) }
  return { kind: 'npm', files }
}

/** The program that others would run, otherwise what `npm start` would run, otherwise what others would import. */
async function startOf(folder: string, { name, bin, main, scripts }: PackageJson): Promise<StartCommand> {
  const own = binOf(name, bin)
  const program = await programAt(folder, own)
  if (program) return program
  if (scripts?.start !== undefined) return ['/bin/sh', '-c', `${scripts.start} "$@"`, 'sh']
  for (const path of [main, ...USUAL_FILES]) {
    const found = await programAt(folder, path)
    if (found) return found
  }
  const named = own ?? main
  const why =
    named === undefined ? 'names no program (bin, scripts.start or main)' : `names ${named}, which does not exist`
  throw invalid(
    `The package.json of ${folder} ${why}. Build it first, or say how to start it: thv run --folder ${folder} -- COMMAND.`,
  )
}

const USUAL_FILES = ['index.js', 'index.mjs', 'index.ts', 'server.js']

/** The only one, or the one with the name of the package. */
function binOf(name: string | undefined, bin: PackageJson['bin']): string | undefined {
  if (typeof bin === 'string') return bin
  const entries = Object.entries(bin ?? {})
  if (new Set(entries.map(([, path]) => path)).size === 1) return entries[0]?.[1]
  return entries.find(([program]) => program === name?.replace(/^@[^/]+\//, ''))?.[1]
}

async function programAt(folder: string, path: string | undefined): Promise<StartCommand | undefined> {
  if (path === undefined) return undefined
  const clean = normalize(path)
  if (clean.startsWith('..') || clean.startsWith('/')) return undefined
  const beginning = await readInside(folder, clean, 256).catch(() => undefined)
  if (beginning === undefined) return undefined
  const place = `${FOLDER_PLACE}/${clean}`
  const interpreter = /\.[cm]?ts$/.test(clean) ? ({ kind: 'node', args: [] } as const) : interpreterOf(clean, beginning)
  return interpreter.kind === 'node' ? [SANDBOX_NODE, ...interpreter.args, place] : [place]
}
