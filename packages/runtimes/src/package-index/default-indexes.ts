import { z } from 'zod'
import { findProgram } from './find-program.ts'
import type { NpmOptions } from './npm.ts'
import { findPython } from './python.ts'
import { runProgram } from './run-program.ts'

/**
 * Where npm, pip and Go look if no other index is configured. Toolhaven leaves that choice to them and asks: it
 * needs the hosts only to know which tokens are in use and what an install may reach. For programs that are not
 * installed here it is unknown.
 */
export interface DefaultIndexes {
  npm?: string | undefined
  /** The index, and where it keeps its files. */
  python?: readonly string[]
  /** Settings of Go that name hosts. */
  go?: Readonly<Record<string, string>>
}

const goSchema = z.record(z.string(), z.string())

export async function defaultGoSettings(env: NpmOptions['env'], signal: AbortSignal): Promise<Record<string, string>> {
  const go = await findProgram('go', env['PATH'])
  if (go === undefined) return {}
  const ownEnv = { GOENV: 'off', HOME: '/', PATH: env['PATH'] }
  const told = await runProgram(go, ['env', '-json', 'GOPROXY', 'GOSUMDB'], { env: ownEnv, cwd: '/' }, signal)
  return told.exitCode === 0 ? goSchema.parse(JSON.parse(told.stdout)) : {}
}

/** uv looks where pip does, but does not say so. */
export async function defaultPythonIndex(env: NpmOptions['env'], signal: AbortSignal): Promise<string[]> {
  const python = await findPython(env, signal).catch(() => undefined)
  signal.throwIfAborted()
  if (!python?.hasPip) return []
  const { stdout } = await runProgram(python.program, ['-I', '-c', TELL], { env: {}, cwd: '/' }, signal)
  return stdout.split('\n').filter((line) => URL.canParse(line))
}

const TELL = `
from pip._internal.models.index import PyPI
print(PyPI.simple_url)
print('https://' + PyPI.file_storage_domain)`

/** The addresses, and where the default index keeps its files if it is one of them. */
export function withFileHosts(addresses: readonly string[], [index = '', files]: readonly string[]): string[] {
  const host = URL.parse(index)?.host
  const isDefault = host !== undefined && addresses.some((address) => URL.parse(address)?.host === host)
  return isDefault && files !== undefined ? [...addresses, files] : [...addresses]
}
