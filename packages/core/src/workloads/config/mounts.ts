import type { OwnFolder } from '@toolhaven/contract/own-folder'
import type { RunConfig } from '@toolhaven/contract/run-config'
import { invalid } from '../../errors.ts'

export interface MountDeclaration {
  host: string
  container: string
  readOnly: boolean
  /** The folder of a server that the user develops. */
  isOwnFolder?: true
}

/** Where a server finds its own folder. Node looks for packages beside it, so they need not be installed into the folder. */
export const FOLDER_PLACE = '/srv/project'

/** `host:container` with optional `:ro` (or `:rw`). */
export function parseVolume(text: string): MountDeclaration {
  const parts = text.split(':')
  const mode = parts.length === 3 ? parts[2] : undefined
  const [host, container] = parts
  if (!host || !container || parts.length > 3 || (mode !== undefined && mode !== 'ro' && mode !== 'rw')) {
    throw invalid(`volume "${text}" must have the form "host:container" or "host:container:ro"`)
  }
  return checked(text, { host, container, readOnly: mode === 'ro' })
}

/** A profile's mount: `path` (the same on both sides) or `host:container`. */
export function parseProfileMount(text: string, readOnly: boolean): MountDeclaration {
  const [host, container, ...rest] = text.split(':')
  if (!host || rest.length > 0 || container === '') {
    throw invalid(`mount "${text}" of the permission profile must have the form "path" or "host:container"`)
  }
  return checked(text, { host, container: container ?? host, readOnly })
}

function folderMount({ path, write = false }: OwnFolder): MountDeclaration {
  if (/\p{Cc}/u.test(path)) throw invalid('folder: the path must not contain control characters')
  if (!/^(\/|~(\/|$))/.test(path)) throw invalid(`folder "${path}": the path must be absolute or begin with ~/`)
  return { host: path, container: FOLDER_PLACE, readOnly: !write, isOwnFolder: true }
}

function checked(text: string, mount: MountDeclaration): MountDeclaration {
  if (/\p{Cc}/u.test(text)) throw invalid('a volume must not contain control characters')
  if (!/^(\/|~(\/|$))/.test(mount.host))
    throw invalid(`volume "${text}": the host path must be absolute or begin with ~/`)
  if (!mount.container.startsWith('/') || mount.container.split('/').includes('..')) {
    throw invalid(`volume "${text}": the container path must be absolute and without ".."`)
  }
  // It would hide the server's own program, and no runtime starts with it.
  if (mount.container.split('/').every((name) => name === '' || name === '.'))
    throw invalid(`volume "${text}": a mount cannot replace the root of the server; use "${mount.host}:/host"`)
  return mount
}

/** All mounts of a configuration; a later one for the same container path wins, and writable wins over read-only. */
export function declaredMounts(
  config: Pick<RunConfig, 'volumes' | 'permission_profile' | 'folder'>,
): MountDeclaration[] {
  const { permission_profile: profile, folder } = config
  const all = [
    ...(profile?.read ?? []).map((text) => parseProfileMount(text, true)),
    ...(profile?.write ?? []).map((text) => parseProfileMount(text, false)),
    ...(config.volumes ?? []).map(parseVolume),
    ...(folder ? [folderMount(folder)] : []),
  ]
  return [...new Map(all.map((mount) => [mount.container, mount])).values()]
}
