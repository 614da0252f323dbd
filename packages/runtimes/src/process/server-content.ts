import { join } from 'node:path'
import { isSystemPath } from './layout.ts'
import type { Layout } from './layout.ts'
import type { PackageManifest } from './package-manifest.ts'
import { SANDBOX_PACKAGE } from './sandbox-plan.ts'

/** What a sandbox is made for. */
export interface ServerContent {
  /** Puts what it needs into the layout, besides the mounts, and says how it is started there. */
  place: (layout: Layout, node: string) => StartedContent
}

export interface StartedContent {
  command: readonly [string, ...string[]]
  env: Readonly<Record<string, string>>
  /** Default: the home folder. */
  workDir?: string
  /** Searched before the usual folders. */
  programs?: readonly string[]
}

// Otherwise Python would hold protocol messages back in its buffer.
export const PYTHON_ENV = { PYTHONUNBUFFERED: '1', PYTHONDONTWRITEBYTECODE: '1' } as const

/** A package that was fetched into this folder. */
export function packageContent(manifest: PackageManifest, folder: string): ServerContent {
  return {
    place: (layout, node) => {
      const place = layout.place(folder, SANDBOX_PACKAGE)
      placeNeeds(layout, manifest)
      return { command: commandLine(manifest, place, node), env: manifest.scheme === 'uvx' ? PYTHON_ENV : {} }
    },
  }
}

export function placeNeeds(layout: Layout, { needs }: Pick<PackageManifest, 'needs'>): void {
  for (const path of needs) if (!isSystemPath(path)) layout.place(path, path)
}

function commandLine({ interpreter, entry }: PackageManifest, folder: string, node: string): [string, ...string[]] {
  const path = join(folder, entry)
  if (interpreter.kind === 'node') return [node, ...interpreter.args, path]
  if (interpreter.kind === 'folder') return [join(folder, interpreter.program), path]
  return [path]
}
