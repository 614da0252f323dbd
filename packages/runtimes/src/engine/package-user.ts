import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Mount } from '@toolhaven/core/ports/runtime'
import type { EngineClient } from './engine-client.ts'
import type { EngineInfo } from './engine-info.ts'

/**
 * An id that nobody has: above all ids that systemd gives to people, services and containers
 * (https://systemd.io/UIDS-GIDS), and small enough for a signed number.
 */
export const UNUSED_ID = 2_000_000_000

/** In its own namespace of ids, 1000 is nobody on the machine. */
const SHIFTED_USER = '1000:1000'
/** The user of a rootless engine is root in its containers. */
const ENGINE_OWNER = '0:0'

/**
 * The engine's user for servers from packages: the user of the daemon, where possible. A user with the same id on the
 * machine can read the server's environment, and its secrets, from /proc.
 */
export async function packageUser(
  { address }: EngineClient,
  info: Pick<EngineInfo, 'rootless' | 'SecurityOptions'>,
): Promise<string> {
  const own = process.geteuid?.()
  if (info.rootless) {
    const owner = address.kind === 'unix' ? (await stat(address.path).catch(() => undefined))?.uid : undefined
    return owner !== undefined && owner === own ? ENGINE_OWNER : SHIFTED_USER
  }
  if (info.SecurityOptions?.some((option) => option.startsWith('name=userns'))) return SHIFTED_USER
  // The ids of another machine belong to other people, and root would own what it mounts.
  const isOurs = address.kind === 'unix' && own !== undefined && own !== 0
  return isOurs ? `${own}:${process.getegid?.() ?? UNUSED_ID}` : `${UNUSED_ID}:${UNUSED_ID}`
}

const PASSWD = '/etc/passwd'
const GROUP = '/etc/group'
export const isUserFile = (path: string) => path === PASSWD || path === GROUP

/** Programs that look up their own user fail when the image does not know the id. What the user mounted there stays. */
export async function userFiles(folder: string, user: string, theirs: readonly Mount[]): Promise<Mount[]> {
  const [uid = '', gid = ''] = user.split(':')
  if (user === ENGINE_OWNER || user === SHIFTED_USER) return []
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const texts = {
    [PASSWD]: `root:x:0:0:root:/root:/sbin/nologin\nuser:x:${uid}:${gid}:user:/tmp:/sbin/nologin\n`,
    [GROUP]: `root:x:0:\nuser:x:${gid}:\n`,
  }
  const mounts: Mount[] = []
  for (const [containerPath, text] of Object.entries(texts)) {
    if (theirs.some((mount) => mount.containerPath === containerPath)) continue
    const hostPath = join(folder, containerPath.replace('/etc/', ''))
    // Other containers have it mounted, and must not see it half written.
    const isThere = (await readFile(hostPath, 'utf8').catch(() => '')) === text
    if (!isThere) await writeFile(hostPath, text, { mode: 0o644 })
    mounts.push({ hostPath, containerPath, readOnly: true })
  }
  return mounts
}
