import type { DaemonClient } from './connect/daemon-client.ts'
import type { Output } from './output/output.ts'

/** What every command is given. */
export interface Context {
  /** The daemon; started in the background when none runs. */
  daemon: () => Promise<DaemonClient>
  out: Output
  env: Readonly<Record<string, string | undefined>>
  cwd: string
  debug: boolean
  /** Aborted by Ctrl-C: leave things tidy. */
  signal: AbortSignal
}
