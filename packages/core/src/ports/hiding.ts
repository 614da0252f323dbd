import type { Mount } from './runtime.ts'

/** Keeps files in mounted folders from the servers that the folders are mounted for, by the rules of ignore files. */
export interface Hiding {
  /**
   * What must lie over the mounts of a workload. From then on it is told what else comes to be there that the rules hide, until
   * closed; opened again, only what was found last counts. `invalid` when the rules or the folder cannot be gone through.
   */
  open(workload: string, wish: HidingWish, signal: AbortSignal): Promise<Hidden[]>

  /** Looks out no more; fine if it never did. */
  close(workload: string): void

  [Symbol.dispose](): void
}

export interface HidingWish {
  mounts: readonly Mount[]
  /** Whether the user's own ignore file counts besides those in the folders. */
  loadGlobal: boolean
}

export interface Hidden {
  kind: 'file' | 'folder'
  /** A cover, to be mounted after what it lies over. */
  cover: Mount
  /** Which rule wants it. */
  reason: string
}

export interface HidingEvents {
  /** Something in the mounts is visible to the workload that must not be, or the rules changed. */
  onAppeared: (workload: string, what: string) => void
  /** A folder that the workload can write became a Git repository. */
  onRepository: (workload: string, path: string) => void
}

/** Covers are an empty file and an empty folder of these names. */
export const COVERS = { file: 'thv-hidden-file', folder: 'thv-hidden-folder' } as const satisfies Record<
  Hidden['kind'],
  string
>

export function isCover(hostPath: string): boolean {
  return Object.values(COVERS).some((name) => hostPath.endsWith(`/${name}`))
}
