import type { ServicePlan } from './service-plan.ts'

/** What starts the daemon with the machine, or with the session of its user. */
export interface ServiceManager {
  /** The file that says how the daemon is started. */
  readonly file: string
  /** Where the output of the daemon is, as a command to type. */
  readonly logCommand: string
  /** Throws `unsupported`, with what to do instead, where the manager does not run. */
  ensureUsable(signal: AbortSignal): Promise<void>
  render(plan: ServicePlan): string
  /** Reads the file anew, sees to the start from now on, and starts it; `changed`: the file is another than before. */
  enable(changed: boolean, signal: AbortSignal): Promise<void>
  /** How the daemon of the service does; `pid` while it runs. */
  state(signal: AbortSignal): Promise<{ pid?: number; hasFailed: boolean }>
  /** Whether a file of this text starts the daemon of this very home; root's is the machine's, and may be of another. */
  owns(text: string): boolean
  /** Stops it and sees to no more starts. Fine where the manager does not run. */
  disable(signal: AbortSignal): Promise<void>
  /** After the file is gone. */
  forget(signal: AbortSignal): Promise<void>
  /** What is left for the user to do so that it starts without a login, if anything. */
  startsWithoutLogin(signal: AbortSignal): Promise<string | undefined>
}
