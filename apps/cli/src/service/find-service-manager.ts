import { userInfo } from 'node:os'
import { join } from 'node:path'
import { unsupported } from '@toolhaven/core/errors'
import { pathsOf } from '../connect/find-daemon.ts'
import { createLaunchd } from './launchd.ts'
import type { ServiceManager } from './service-manager.ts'
import { createSystemd } from './systemd.ts'
import { homeDirOf } from '../home-dir.ts'

/** The one of this platform; whether it runs is asked later. */
export function findServiceManager(
  env: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform = process.platform,
): ServiceManager {
  const homeDir = homeDirOf(env)
  const uid = process.getuid?.() ?? 0
  if (platform === 'darwin')
    return createLaunchd({ env, homeDir, uid, outputFile: join(pathsOf(env).stateDir, 'daemon.out') })
  if (platform !== 'linux')
    throw unsupported(
      `services are made with systemd and launchd, and this is ${platform}\nStart "thv serve" yourself.`,
    )
  return createSystemd({ env, homeDir, userName: userNameOf(uid), scope: uid === 0 ? 'system' : 'user' })
}

/** Programs take the number as well. */
function userNameOf(uid: number): string {
  try {
    return userInfo().username
  } catch {
    return String(uid)
  }
}
