import { readFile, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { parseMountTable } from '@toolhaven/core/mount-table'
import type { HostPath } from '@toolhaven/core/ports/host'
import { fileIdentity } from '@toolhaven/core/ports/runtime'
import { isWithin } from '@toolhaven/core/workloads/is-within'
import { findFile } from './find-file.ts'

export interface ProtectedPlaces {
  /** Toolhaven's own folders: state, data, configuration, cache, sockets. They need not exist. */
  ownFolders: readonly string[]
  /** Sockets that control a container engine. They need not exist; every check looks again. */
  engineSockets: () => Promise<readonly string[]>
  /** The kernel's mount table of this process. */
  mountTable?: string
}

/** What a mount of a resolved path would expose, as a noun phrase. Undefined if nothing. */
export async function exposureOf(found: HostPath, places: ProtectedPlaces): Promise<string | undefined> {
  const { path, kind } = found
  if (path === '/') return 'the root of this machine'
  const kernel = await kernelFolders(places.mountTable)
  const inKernel = kernel.find((folder) => isWithin(path, folder) || isWithin(folder, path))
  if (inKernel !== undefined) return `${inKernel}, through which the kernel and its devices are controlled`
  const looks = new Map<string, Promise<string | undefined>>()
  const own = places.ownFolders.map((folder) => ({ place: folder, what: `${folder}, a folder of Toolhaven itself` }))
  const sockets = await places.engineSockets()
  const engines = sockets.map((socket) => ({ place: socket, what: `${socket}, the socket of a container engine` }))
  for (const part of [found, ...(await mountsBelow(found, places.mountTable, looks))]) {
    for (const { place, what } of [...own, ...engines]) if (await overlaps(part, place, looks)) return what
  }
  if (kind === 'socket') return 'a socket, and with it whatever listens there'
  if (kind === 'other') return 'a device or a pipe'
  return secondNameIn(found, places.ownFolders, sockets)
}

type Part = Pick<HostPath, 'path' | 'identity'>

/** File systems mounted inside the folder are exposed with it, under a path that does not show where they come from. */
async function mountsBelow(
  { path }: HostPath,
  table: string | undefined,
  looks: Map<string, Promise<string | undefined>>,
): Promise<Part[]> {
  const parts: Part[] = []
  for (const { target } of await mountsOf(table)) {
    const identity = target !== path && isWithin(target, path) ? await look(target, looks) : undefined
    if (identity !== undefined) parts.push({ path: target, identity })
  }
  return parts
}

/** Whether the path is the folder or lies in it: by path and, for bind mounts, by identity. */
export async function isInside(
  found: Part,
  folder: string,
  looks = new Map<string, Promise<string | undefined>>(),
): Promise<boolean> {
  const real = await realOf(folder)
  if (isWithin(found.path, real)) return true
  const identity = await look(real, looks)
  return identity !== undefined && (await identitiesAbove(found.path, looks)).has(identity)
}

async function overlaps(found: Part, place: string, looks: Map<string, Promise<string | undefined>>): Promise<boolean> {
  return (await isInside(found, place, looks)) || (await holdsFolder(found, place, looks))
}

/** Whether the path is the folder or one above it: by path and, for bind mounts and names that differ in case, by identity. */
export async function holdsFolder(
  found: Part,
  folder: string,
  looks = new Map<string, Promise<string | undefined>>(),
): Promise<boolean> {
  const real = await realOf(folder)
  return isWithin(real, found.path) || (await identitiesAbove(real, looks)).has(found.identity)
}

/** Identities of the path and of every folder above it except the root. */
async function identitiesAbove(path: string, looks: Map<string, Promise<string | undefined>>): Promise<Set<string>> {
  const identities = new Set<string>()
  for (let at = path; at !== dirname(at); at = dirname(at)) {
    const identity = await look(at, looks)
    if (identity !== undefined) identities.add(identity)
  }
  return identities
}

function look(path: string, looks: Map<string, Promise<string | undefined>>): Promise<string | undefined> {
  const known = looks.get(path)
  if (known !== undefined) return known
  const looking = stat(path, { bigint: true }).then(fileIdentity, () => undefined)
  looks.set(path, looking)
  return looking
}

/** Resolves links as far as the path exists. */
async function realOf(path: string): Promise<string> {
  const real = await realpath(path).catch(() => undefined)
  if (real !== undefined || path === dirname(path)) return real ?? path
  return join(await realOf(dirname(path)), basename(path))
}

/** Hard links in a folder to an engine's socket or to one of Toolhaven's files. Nearly always there are none to look for. */
async function secondNameIn(
  found: HostPath,
  ownFolders: readonly string[],
  sockets: readonly string[],
): Promise<string | undefined> {
  if (found.kind === 'file') {
    const { nlink } = await stat(found.path)
    if (nlink < 2) return undefined
    const isOurs = await findFile(ownFolders, (entry) => entry.isFile(), new Set([found.identity]))
    return isOurs === undefined ? undefined : `${isOurs}, a file of Toolhaven itself`
  }
  const linked = new Set<string>()
  for (const socket of sockets) {
    const itself = await stat(socket, { bigint: true }).catch(() => undefined)
    if (itself?.isSocket() && itself.nlink > 1n) linked.add(fileIdentity(itself))
  }
  if (linked.size === 0) return undefined
  const inside = await findFile([found.path], (entry) => entry.isSocket(), linked)
  return inside === undefined ? undefined : `${inside}, the socket of a container engine`
}

const KERNEL_FOLDERS = ['/proc', '/sys', '/dev']
const KERNEL_FILE_SYSTEMS = new Set(
  'binfmt_misc bpf cgroup cgroup2 configfs debugfs devpts devtmpfs efivarfs fusectl mqueue nsfs proc pstore securityfs selinuxfs sysfs tracefs'.split(
    ' ',
  ),
)

/** Includes further mounts of these file systems, such as those for a chroot. */
async function kernelFolders(table: string | undefined): Promise<string[]> {
  const mounted = (await mountsOf(table)).filter(({ type }) => KERNEL_FILE_SYSTEMS.has(type))
  return [...new Set([...KERNEL_FOLDERS, ...mounted.map(({ target }) => target)])]
}

async function mountsOf(table = '/proc/self/mountinfo'): Promise<ReturnType<typeof parseMountTable>> {
  return parseMountTable(await readFile(table, 'utf8').catch(() => '')) // not Linux: no table
}
