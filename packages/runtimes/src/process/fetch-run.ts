import { readFile, writeFile } from 'node:fs/promises'
import { invalid } from '@toolhaven/core/errors'
import { collectOutput } from '../package-index/run-program.ts'
import type { ProgramResult } from '../package-index/run-program.ts'
import type { Layout } from './layout.ts'
import { SANDBOX_HOME, SANDBOX_PATH } from './sandbox-plan.ts'
import type { Sandbox } from './sandbox.ts'

export interface FetchRun {
  sandbox: Sandbox
  layout: Layout
  /** As seen inside. */
  program: string
  args: readonly string[]
  env: Readonly<Record<string, string>>
  /** Folder of the machine for the tool's own temporary files; disk, not memory. */
  scratch: string
}

/** Runs one step of a fetch: the network, the paths of its layout, its own variables, and nothing else of the daemon or the user. */
export async function runFetch(
  { sandbox, layout, program, args, env, scratch }: FetchRun,
  signal: AbortSignal,
): Promise<ProgramResult> {
  const tmp = layout.place(scratch, '/tmp', 'writable')
  const home = sandbox.isolatesFiles ? SANDBOX_HOME : scratch
  const searchPath = sandbox.isolatesFiles ? SANDBOX_PATH : (env['PATH'] ?? SANDBOX_PATH)
  const plan = {
    program,
    args,
    env: { LANG: 'C.UTF-8', ...env, HOME: home, TMPDIR: tmp, PATH: searchPath },
    workDir: tmp,
    binds: layout.binds,
    network: 'full' as const,
  }
  const { child, kill } = await sandbox.spawn(plan, { stdin: false }, signal)
  return await collectOutput(child, kill, signal)
}

/** One file with the certificates of all given ones and the text, for tools that take a single file. Undefined when there is nothing to add to. */
export async function bundleCertificates(
  path: string,
  files: readonly (string | undefined)[],
  extra: string | undefined,
): Promise<string | undefined> {
  const texts: string[] = []
  for (const file of files) {
    if (file === undefined) continue
    texts.push(
      await readFile(file, 'utf8').catch((error: unknown) => {
        throw invalid(`The certificate file ${file} cannot be read; correct the setting that names it.`, error)
      }),
    )
  }
  if (extra !== undefined) texts.push(extra)
  if (texts.length === 0) return undefined
  await writeFile(path, texts.join('\n'), { mode: 0o644 })
  return path
}
