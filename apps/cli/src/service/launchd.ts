import { join } from 'node:path'
import { unavailable, unsupported } from '@toolhaven/core/errors'
import { runProgram } from '@toolhaven/runtimes/package-index/run-program'
import { LAUNCHD_LABEL, renderLaunchdPlist } from './launchd-plist.ts'
import type { ServiceManager } from './service-manager.ts'

export interface LaunchdOptions {
  env: Readonly<Record<string, string | undefined>>
  homeDir: string
  uid: number
  outputFile: string
}

/** For macOS, written from launchctl(1) and launchd.plist(5). Not tested on a Mac yet. */
export function createLaunchd({ env, homeDir, uid, outputFile }: LaunchdOptions): ServiceManager {
  const launchctl = (args: readonly string[], signal: AbortSignal) =>
    runProgram('launchctl', args, { env, cwd: '/' }, signal)
  const domain = `gui/${uid}`
  const service = `${domain}/${LAUNCHD_LABEL}`
  const file = join(homeDir, 'Library', 'LaunchAgents', `${LAUNCHD_LABEL}.plist`)
  return {
    file,
    logCommand: `tail ${outputFile}`,
    render: renderLaunchdPlist,
    async ensureUsable(signal) {
      if (uid === 0)
        throw unsupported('a launch agent belongs to a user who logs in. Run this as that user, without sudo.')
      const { exitCode } = await launchctl(['print', domain], signal)
      if (exitCode !== 0)
        throw unsupported(
          'launch agents need a user who is logged in at the screen of this Mac\nRun "thv serve" instead.',
        )
    },
    async enable(changed, signal) {
      const { exitCode } = await launchctl(['print', service], signal)
      if (exitCode === 0 && !changed) return
      if (exitCode === 0) await launchctl(['bootout', service], signal)
      await launchctl(['enable', service], signal)
      const { exitCode: failed, stderr } = await launchctl(['bootstrap', domain, file], signal)
      if (failed !== 0) throw unavailable(`launchctl bootstrap failed: ${stderr.trim()}`)
    },
    async state(signal) {
      const { stdout } = await launchctl(['print', service], signal)
      const pid = Number(/^\s*pid = (\d+)$/m.exec(stdout)?.[1] ?? 0)
      return { ...(pid > 0 && { pid }), hasFailed: /^\s*last exit code = [1-9]/m.test(stdout) }
    },
    owns: () => true,
    async disable(signal) {
      await launchctl(['bootout', service], signal)
    },
    forget: async () => {},
    startsWithoutLogin: () => Promise.resolve('The daemon starts when you log in.'),
  }
}
