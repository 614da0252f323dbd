import type { DaemonClient } from './connect/daemon-client.ts'
import type { Output } from './output/output.ts'

/** The context of every command. */
export interface Context {
  /** The daemon, which is started in the background if none runs. */
  daemon: () => Promise<DaemonClient>
  out: Output
  env: Readonly<Record<string, string | undefined>>
  cwd: string
  debug: boolean
  /** Aborted by Ctrl-C. Clean up then. */
  signal: AbortSignal
}
