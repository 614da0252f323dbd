import type { DaemonClient } from '../connect/daemon-client.ts'

export interface ToolDeps {
  /** Called for each request, so that a restarted daemon is found again. */
  daemon: () => Promise<DaemonClient>
}
