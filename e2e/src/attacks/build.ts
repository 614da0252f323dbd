import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { type DaemonProcess, startDaemon, THV } from '../daemon-process.ts'
import type { Home } from '../home.ts'
import { thv, type ThvOptions, type ThvResult } from '../thv.ts'

/** One text of one source file, and the replacement that removes a defence. */
export interface Weakness {
  /** From the top of the repository. */
  file: string
  /** Must appear there exactly once: a defence that was rewritten needs its weakness rewritten. */
  find: string
  replace: string
}

/** What is attacked: the shipped program, or one that lacks a defence. */
export interface Build {
  /** The arguments with which Node runs it. */
  program: readonly string[]
  start: (home: Home, args?: readonly string[]) => Promise<DaemonProcess>
  thv: (home: Home, args: readonly string[], options?: ThvOptions) => Promise<ThvResult>
}

const ROOT = new URL('../../../', import.meta.url)
const SOURCES = fileURLToPath(new URL('apps/cli/bin/thv.mjs', ROOT))

export const SHIPPED: Build = buildOf([THV])

/** The same program from its sources, with these changes. */
export function weakenedBuild(weaknesses: readonly Weakness[]): Build {
  const hook = new URL('weaken.ts', import.meta.url)
  hook.searchParams.set('weaknesses', JSON.stringify(weaknesses.map(checked)))
  return buildOf(['--import', hook.href, SOURCES])
}

function buildOf(program: readonly string[]): Build {
  return {
    program,
    start: (home, args = []) => startDaemon(home, args, program),
    thv: (home, args, options) => thv(home, args, { ...options, program }),
  }
}

function checked({ file, find, replace }: Weakness): { url: string; find: string; replace: string } {
  const path = fileURLToPath(new URL(file, ROOT))
  const source = readFileSync(path, 'utf8')
  const count = source.split(find).length - 1
  if (count !== 1) throw new Error(`${file} holds ${JSON.stringify(find)} ${count} times, not once`)
  refuseWhatDoesNotParse(
    file,
    source.replace(find, () => replace),
  )
  return { url: pathToFileURL(path).href, find, replace }
}

/** Noticed in every run, not only in the turn of this build. */
function refuseWhatDoesNotParse(file: string, source: string): void {
  try {
    if (file.endsWith('.ts')) stripTypeScriptTypes(source)
  } catch (cause) {
    throw new Error(`${file} is not a program any more with its weakness`, { cause })
  }
}
