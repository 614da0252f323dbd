import { createHash } from 'node:crypto'
import { chmod, copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { spawn } from 'node:child_process'
import { describeError, unavailable } from '@toolhaven/core/errors'
import { findProgram } from '../package-index/find-program.ts'
import { collectOutput } from '../package-index/run-program.ts'
import { seccompFilter } from '../process/seccomp.ts'

/** The native program of isolated workloads, in a folder that may be shown to containers. */
export interface ForwarderProgram {
  /** Contains the two files below and nothing else. */
  folder: string
  program: string
  /** The system call filter that it can apply. */
  filter: string
}

export type FindForwarder = (signal: AbortSignal) => Promise<ForwarderProgram>

export interface ForwarderOptions {
  /** Where its source is, and its build if one was shipped. */
  sourceDir: string
  dataDir: string
  env: Readonly<Record<string, string | undefined>>
  platform?: NodeJS.Platform
  arch?: string
}

const INSTALL = 'install a C compiler (apt install gcc libc6-dev) and try again'

/** The shipped build, or one made here on demand. It is kept while its file exists. A failure is tried again. */
export function forwarderFinder(options: ForwarderOptions): FindForwarder {
  let found: Promise<ForwarderProgram> | undefined
  const look = (signal: AbortSignal) => {
    found = find(options, signal).catch((error: unknown) => {
      found = undefined
      throw error
    })
    return found
  }
  return async (signal) => {
    if (found === undefined) return await look(signal)
    const before = found
    if (await exists((await before).program)) return await before
    return await (found === before ? look(signal) : found)
  }
}

/** Why none can be built here, without building one. */
export async function forwarderLack(options: ForwarderOptions): Promise<string | undefined> {
  const { sourceDir, dataDir, env, platform = process.platform, arch = process.arch } = options
  if (seccompFilter(arch) === undefined) return `it needs a processor of the kind x64 or arm64`
  const isBuilt = (await exists(join(sourceDir, shippedName(arch)))) || (await exists(join(dataDir, 'forwarder')))
  if (isBuilt) return undefined
  if (platform !== 'linux') return `this installation brings no forwarder for Linux on ${arch}`
  return (await findProgram('cc', env['PATH'])) === undefined ? `to build the forwarder, ${INSTALL}` : undefined
}

/** Always for Linux: on other systems engines run in a virtual machine with Linux, on the same processor. */
const shippedName = (arch: string) => `forwarder-linux-${arch}`

async function find(options: ForwarderOptions, signal: AbortSignal): Promise<ForwarderProgram> {
  const { sourceDir, dataDir, platform = process.platform, arch = process.arch } = options
  const filter = seccompFilter(arch)
  if (filter === undefined) throw unavailable(`Network isolation needs an x64 or arm64 processor; this is ${arch}.`)
  const hash = createHash('sha256').update(filter)
  for (const file of await sourceFiles(sourceDir)) hash.update(await readFile(file))
  const mark = hash.digest('hex').slice(0, 16)
  const folder = join(dataDir, 'forwarder', mark)
  const made = { folder, program: join(folder, 'forwarder'), filter: join(folder, 'filter') }
  if (await exists(made.program)) return made
  await mkdir(join(dataDir, 'forwarder'), { recursive: true, mode: 0o700 })
  // Complete or not at all: two daemons may build it at the same time.
  const draft = await mkdtemp(join(dataDir, 'forwarder', 'draft-'))
  try {
    await chmod(draft, 0o755)
    await writeFile(join(draft, 'filter'), filter, { mode: 0o644 })
    const shipped = join(sourceDir, shippedName(arch))
    if (await exists(shipped)) await copyFile(shipped, join(draft, 'forwarder'))
    else if (platform === 'linux') await compile(options, join(draft, 'forwarder'), signal)
    else throw unavailable(`Network isolation needs a forwarder for Linux on ${arch}, which this installation lacks.`)
    await chmod(join(draft, 'forwarder'), 0o755)
    await rename(draft, folder).catch(async (error: unknown) => {
      if (!(await exists(made.program))) throw error
    })
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
  return made
}

async function sourceFiles(sourceDir: string): Promise<string[]> {
  const names = await readdir(sourceDir).catch((error: unknown) => {
    throw unavailable(
      `The forwarder of isolated workloads is missing from ${sourceDir}. Install Toolhaven again.`,
      error,
    )
  })
  return names
    .filter((name) => /\.[ch]$/.test(name))
    .toSorted()
    .map((name) => join(sourceDir, name))
}

async function compile({ sourceDir, env }: ForwarderOptions, target: string, signal: AbortSignal): Promise<void> {
  const compiler = await findProgram('cc', env['PATH'])
  if (compiler === undefined) throw unavailable(`Network isolation needs its forwarder built once: ${INSTALL}.`)
  const parts = (await sourceFiles(sourceDir)).filter((file) => file.endsWith('.c'))
  const args = ['-O2', '-static', '-o', target, ...parts]
  try {
    const child = spawn(compiler, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { PATH: env['PATH'] ?? '' } })
    const { exitCode, stderr } = await collectOutput(child, () => child.kill(), signal)
    if (exitCode === 0) return
    throw new Error(stderr.trim().split('\n').at(-1) ?? `exit code ${exitCode}`)
  } catch (error) {
    signal.throwIfAborted()
    throw unavailable(
      `The forwarder of isolated workloads could not be built (${describeError(error)}); ${INSTALL}.`,
      error,
    )
  }
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined
}
