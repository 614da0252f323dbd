import { createHash } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { unavailable } from '@toolhaven/core/errors'
import type { PackageScheme } from '@toolhaven/core/ports/runtime'
import { untilAborted } from '../until-aborted.ts'
import { defaultGoSettings } from './default-indexes.ts'
import { userGoSettings } from './go-env.ts'
import type { NpmOptions } from './npm.ts'
import { type Npmrc, readNpmrc } from './npmrc.ts'
import { readPythonSettings } from './python-settings.ts'

/**
 * Distinguishes what came from different package indexes: two packages with one name and version need not be the same.
 * Empty if no index is configured.
 */
export type IndexKey = (scheme: PackageScheme, signal: AbortSignal) => Promise<readonly string[]>

export function createIndexKey(options: NpmOptions): IndexKey {
  const npmrc = rememberNpmrc(options)
  const lines = {
    npx: npmLines(npmrc),
    uvx: () => pythonLines(options),
    go: (signal: AbortSignal) => goLines(options, signal),
  } as const satisfies Record<PackageScheme, (signal: AbortSignal) => Promise<string[]>>
  return async (scheme, signal) => {
    const found = await lines[scheme](signal)
    signal.throwIfAborted()
    if (found.length === 0) return []
    // A new password does not make another index.
    const places = found.map((line) => line.replaceAll(/\/\/[^/\s@]*@/g, '//')).toSorted()
    return [`index ${createHash('sha256').update(places.join('\n')).digest('hex').slice(0, 16)}`]
  }
}

const npmLines = (npmrc: () => Promise<string>) => async (signal: AbortSignal) =>
  (await untilAborted(npmrc(), signal))
    .split('\n')
    .filter((line) => /^(?:(?:@[^:\s]+:)?registry|replace-registry-host)=/.test(line))

async function pythonLines(options: NpmOptions): Promise<string[]> {
  const { pip, first } = await readPythonSettings(options)
  const named = ['index-url', 'extra-index-url', 'find-links', 'no-index'].flatMap((key) =>
    pip[key] ? [`${key}=${pip[key]}`] : [],
  )
  return [...named, ...first.map((index) => `first=${index}`)]
}

async function goLines({ env, homeDir }: NpmOptions, signal: AbortSignal): Promise<string[]> {
  const settings: Record<string, string> = await userGoSettings({ env, homeDir }, signal)
  const usual = await defaultGoSettings(env, signal)
  return ['GOPROXY', 'GOPRIVATE', 'GONOPROXY'].flatMap((name) => {
    const value = settings[name] ?? ''
    return value === '' || value === usual[name] ? [] : [`${name}=${value}`]
  })
}

const PATIENCE_MS = 120_000
const SETTLED_MS = 2000

/**
 * npm is asked again when one of its files has changed. It takes as long as the rest of a start, and many workloads
 * start with the daemon.
 */
function rememberNpmrc(options: NpmOptions): () => Promise<string> {
  const read = async () => {
    // Shared by all callers that wait, so it is not the signal of one caller.
    const late = AbortSignal.timeout(PATIENCE_MS)
    const npmrc = await readNpmrc(options, late).catch((error: unknown) => {
      throw late.aborted
        ? unavailable(`npm did not say within ${PATIENCE_MS / 1000} s where packages come from.`)
        : error
    })
    return { text: npmrc.text, isUnchanged: await watchFiles(npmrc) }
  }
  let asked: ReturnType<typeof read> | undefined
  return async () => {
    const last = asked
    const known = await last?.catch(() => undefined)
    if (known === undefined || !(await known.isUnchanged())) if (asked === last) asked = read()
    return (await (asked ?? read())).text
  }
}

async function watchFiles({ files }: Npmrc): Promise<() => Promise<boolean>> {
  const look = () => Promise.all(files.map((file) => stat(file).catch(() => undefined)))
  const stateOf = (found: Awaited<ReturnType<typeof look>>) =>
    found.map((file) => (file ? `${file.ino} ${file.size} ${file.ctimeMs}` : 'absent')).join('\n')
  const found = await look()
  // A change a moment ago may have come after npm read the file. A removal shows in the folder.
  const folders = await Promise.all(files.map((file) => stat(dirname(file)).catch(() => undefined)))
  const isSettled = found.every((file, at) => {
    const changed = (file ?? folders[at])?.ctimeMs
    return changed === undefined || Date.now() - changed > SETTLED_MS
  })
  const state = stateOf(found)
  return async () => isSettled && stateOf(await look()) === state
}
