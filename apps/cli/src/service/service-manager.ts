import type { ServicePlan } from './service-plan.ts'

/** The system program that starts the daemon at boot, or when its user logs in. */
export interface ServiceManager {
  /** The service file. */
  readonly file: string
  /** A command that shows the daemon's output. */
  readonly logCommand: string
  /** Throws `unsupported`, with what to do instead, if the manager does not run. */
  ensureUsable(signal: AbortSignal): Promise<void>
  render(plan: ServicePlan): string
  /** Reads the file again, enables the service and starts it. `changed` means that the file differs from the previous one. */
  enable(changed: boolean, signal: AbortSignal): Promise<void>
  /** The state of the service's daemon, with `pid` while it runs. */
  state(signal: AbortSignal): Promise<{ pid?: number; hasFailed: boolean }>
  /** Whether a service file starts the daemon of this home folder. Root's file applies to the whole machine, so it may be for another. */
  owns(text: string): boolean
  /** Stops and disables the service. Does nothing if the manager does not run. */
  disable(signal: AbortSignal): Promise<void>
  /** Called after the file is removed. */
  forget(signal: AbortSignal): Promise<void>
  /** What the user still has to do so that the service starts without a login, if anything. */
  startsWithoutLogin(signal: AbortSignal): Promise<string | undefined>
}
