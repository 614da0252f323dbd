import { isAbsolute, join } from 'node:path'
import { unavailable, unsupported } from '@toolhaven/core/errors'
import { type ProgramResult, runProgram } from '@toolhaven/runtimes/package-index/run-program'
import type { ServiceManager } from './service-manager.ts'
import { type UnitScope, homeLine, renderSystemdUnit } from './systemd-unit.ts'

export interface SystemdOptions {
  env: Readonly<Record<string, string | undefined>>
  homeDir: string
  userName: string
  scope: UnitScope
}

const UNIT = 'toolhaven.service'
const NOT_THERE = 127

/** The user's own systemd instance; for root, the system instance. */
export function createSystemd({ env, homeDir, userName, scope }: SystemdOptions): ServiceManager {
  const isUser = scope === 'user'
  const call = (program: string, args: readonly string[], signal: AbortSignal) =>
    runProgram(program, args, { env: { ...env, LC_ALL: 'C' }, cwd: '/' }, signal).catch(
      (error: unknown): ProgramResult => {
        signal.throwIfAborted()
        return { exitCode: NOT_THERE, stdout: '', stderr: error instanceof Error ? error.message : String(error) }
      },
    )
  const systemctl = (args: readonly string[], signal: AbortSignal) =>
    call('systemctl', [...(isUser ? ['--user'] : []), ...args], signal)
  const must = async (args: readonly string[], signal: AbortSignal) => {
    const { exitCode, stderr } = await systemctl(args, signal)
    if (exitCode !== 0) throw unavailable(`systemctl ${args.join(' ')} failed: ${lastLine(stderr)}`)
  }
  const configHome = env['XDG_CONFIG_HOME']
  const userFolder = join(
    configHome && isAbsolute(configHome) ? configHome : join(homeDir, '.config'),
    'systemd',
    'user',
  )
  return {
    file: join(isUser ? userFolder : '/etc/systemd/system', UNIT),
    logCommand: `journalctl ${isUser ? '--user ' : ''}-u toolhaven`,
    render: (plan) => renderSystemdUnit(plan, scope),
    async ensureUsable(signal) {
      const { exitCode, stderr } = await systemctl(['show-environment'], signal)
      if (exitCode === 0) return
      const whose = isUser ? 'your user has no systemd instance here' : 'this machine does not run systemd'
      throw unsupported(
        `${whose} (${lastLine(stderr)})\n` +
          'Start "thv serve" with the init system of this machine. Without that, any thv command starts the daemon when it is needed.',
      )
    },
    async enable(changed, signal) {
      await must(['daemon-reload'], signal)
      await must(['enable', UNIT], signal)
      await must([changed ? 'restart' : 'start', UNIT], signal)
    },
    async state(signal) {
      const { stdout } = await systemctl(['show', '--property=MainPID,SubState', UNIT], signal)
      const pid = Number(/^MainPID=(\d+)$/m.exec(stdout)?.[1] ?? 0)
      return { ...(pid > 0 && { pid }), hasFailed: /^SubState=(failed|auto-restart)$/m.test(stdout) }
    },
    owns: (text) => isUser || text.includes(`\n${homeLine(homeDir)}\n`),
    async disable(signal) {
      await systemctl(['disable', '--now', UNIT], signal)
    },
    async forget(signal) {
      await systemctl(['daemon-reload'], signal)
      await systemctl(['reset-failed', UNIT], signal)
    },
    async startsWithoutLogin(signal) {
      if (!isUser) return undefined
      const { exitCode } = await call('loginctl', ['--no-ask-password', 'enable-linger'], signal)
      if (exitCode === 0) return undefined
      return `The daemon starts when you log in. To start it at boot: sudo loginctl enable-linger ${userName}`
    },
  }
}

const lastLine = (text: string) => text.trim().split('\n').at(-1) ?? ''
