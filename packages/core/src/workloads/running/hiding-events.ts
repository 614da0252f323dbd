import type { HidingEvents } from '../../ports/hiding.ts'
import type { Supervisor } from './supervisor.ts'
import type { SupervisorDeps } from './supervisor-deps.ts'

/** Files that a server has seen or made that must end it at once. */
export function hidingEvents(
  supervisor: () => Supervisor,
  { logs, masker }: Pick<SupervisorDeps, 'logs' | 'masker'>,
): HidingEvents {
  return {
    onAppeared: (name, what) => {
      const reason = `${what} appeared or changed, and an ignore file hides it; the server restarts without it`
      logs.append(name, 'stderr', masker.mask(reason))
      supervisor().exposed(name, { reason, isFinal: false })
    },
    onRepository: (name, path) => {
      const reason = `${path} became a Git repository while the server could write there, and Git runs programs that a repository names; if you did not create it, delete it before you use Git there, then restart ${name}`
      supervisor().exposed(name, { reason, isFinal: true })
    },
  }
}
