import { userInfo } from 'node:os'
import { join } from 'node:path'
import { unsupported } from '@toolhaven/core/errors'
import { pathsOf } from '../connect/find-daemon.ts'
import { createLaunchd } from './launchd.ts'
import type { ServiceManager } from './service-manager.ts'
import { createSystemd } from './systemd.ts'
import { homeDirOf } from '../home-dir.ts'

/** The service manager of this platform. Whether it runs is checked later. */
export function findServiceManager(
  env: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform = process.platform,
): ServiceManager {
  const homeDir = homeDirOf(env)
  const uid = process.getuid?.() ?? 0
  if (platform === 'darwin')
    return createLaunchd({ env, homeDir, uid, outputFile: join(pathsOf(env).stateDir, 'daemon.out') })
  if (platform !== 'linux')
    throw unsupported(`services need systemd or launchd, and ${platform} has neither\nStart "thv serve" yourself.`)
  return createSystemd({ env, homeDir, userName: userNameOf(uid), scope: uid === 0 ? 'system' : 'user' })
}

/** Programs also accept the user id as a number. */
function userNameOf(uid: number): string {
  try {
    return userInfo().username
  } catch {
    return String(uid)
  }
}
