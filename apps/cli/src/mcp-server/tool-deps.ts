import type { DaemonClient } from '../connect/daemon-client.ts'

export interface ToolDeps {
  /** Asked for at each call: a daemon that was restarted is found again. */
  daemon: () => Promise<DaemonClient>
}
