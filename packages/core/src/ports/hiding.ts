import type { Mount } from './runtime.ts'

/** Hides files in mounted folders from servers, by the rules of ignore files. */
export interface Hiding {
  /**
   * Finds the covers to mount over the mounts of a workload. Then reports new files that the rules hide, until closed. Opening it
   * again replaces what was found before. Throws `invalid` if the rules or the folder cannot be read.
   */
  open(workload: string, wish: HidingWish, signal: AbortSignal): Promise<Hidden[]>

  /** Stops watching. Does nothing if nothing is watched. */
  close(workload: string): void

  [Symbol.dispose](): void
}

export interface HidingWish {
  mounts: readonly Mount[]
  /** Whether the user's own ignore file applies in addition to those in the folders. */
  loadGlobal: boolean
}

export interface Hidden {
  kind: 'file' | 'folder'
  /** An empty file or folder to mount over a hidden one, after the mount that holds it. */
  cover: Mount
  /** The rule that hides it. */
  reason: string
}

export interface HidingEvents {
  /** A hidden file has become visible to the workload, or the rules have changed. */
  onAppeared: (workload: string, what: string) => void
  /** A folder that the workload can write became a Git repository. */
  onRepository: (workload: string, path: string) => void
}

/** Paths of the empty file and the empty folder that serve as covers. */
export const COVERS = { file: 'thv-hidden-file', folder: 'thv-hidden-folder' } as const satisfies Record<
  Hidden['kind'],
  string
>

export function isCover(hostPath: string): boolean {
  return Object.values(COVERS).some((name) => hostPath.endsWith(`/${name}`))
}
