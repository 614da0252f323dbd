import type { Bind } from './sandbox-plan.ts'
import type { Sandbox } from './sandbox.ts'

/** Collects binds and says where each host path is found inside the sandbox. */
export interface Layout {
  place(hostPath: string, sandboxPath: string, access?: 'read-only' | 'writable'): string
  readonly binds: Bind[]
}

export function createLayout({ isolatesFiles }: Pick<Sandbox, 'isolatesFiles'>): Layout {
  const binds: Bind[] = []
  return {
    binds,
    place: (hostPath, sandboxPath, access = 'read-only') => {
      const path = isolatesFiles ? sandboxPath : hostPath
      binds.push({ hostPath, sandboxPath: path, readOnly: access === 'read-only' })
      return path
    },
  }
}

/** Folders every sandbox holds anyway. */
export function isSystemPath(path: string): boolean {
  return ['/usr', '/bin', '/lib', '/lib64', '/nix/store', '/gnu/store'].some(
    (folder) => path === folder || path.startsWith(`${folder}/`),
  )
}
