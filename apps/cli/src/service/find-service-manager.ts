import { homedir, userInfo } from 'node:os'
import { join } from 'node:path'
import { unsupported } from '@toolhaven/core/errors'
import { pathsOf } from '../connect/find-daemon.ts'
import { createLaunchd } from './launchd.ts'
import type { ServiceManager } from './service-manager.ts'
import { createSystemd } from './systemd.ts'

/** The one of this platform; whether it runs is asked later. */
export function findServiceManager(
  env: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform = process.platform,
): ServiceManager {
  const homeDir = env['HOME'] || homedir()
  const uid = process.getuid?.() ?? 0
  if (platform === 'darwin')
    return createLaunchd({ env, homeDir, uid, outputFile: join(pathsOf(env).stateDir, 'daemon.out') })
  if (platform !== 'linux')
    throw unsupported(
      `services are made with systemd and launchd, and this is ${platform}\nStart "thv serve" yourself.`,
    )
  const { username: userName } = userInfo()
  return createSystemd({ env, homeDir, userName, scope: uid === 0 ? 'system' : 'user' })
}
