import type { Bind } from './sandbox-plan.ts'
import type { Sandbox } from './sandbox.ts'

/** Collects binds and says where each host path is inside the sandbox. */
export interface Layout {
  place(hostPath: string, sandboxPath: string, access?: 'read-only' | 'writable', identity?: string): string
  readonly binds: Bind[]
}

export function createLayout({ isolatesFiles }: Pick<Sandbox, 'isolatesFiles'>): Layout {
  const binds: Bind[] = []
  return {
    binds,
    place: (hostPath, sandboxPath, access = 'read-only', identity) => {
      const path = isolatesFiles ? sandboxPath : hostPath
      const readOnly = access === 'read-only'
      binds.push({ hostPath, sandboxPath: path, readOnly, ...(identity !== undefined && { identity }) })
      return path
    },
  }
}

/** Folders that every sandbox contains anyway. */
export function isSystemPath(path: string): boolean {
  return ['/usr', '/bin', '/lib', '/lib64', '/nix/store', '/gnu/store'].some(
    (folder) => path === folder || path.startsWith(`${folder}/`),
  )
}
