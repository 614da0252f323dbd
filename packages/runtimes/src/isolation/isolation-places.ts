import type { FindForwarder } from './forwarder-program.ts'
import type { FindSocat } from './socat.ts'

/** What a runtime needs to run servers on a loopback only. */
export interface IsolationPlaces {
  /** A private folder of the daemon's user with a short path: sockets of the ways in are created below it. */
  socketDir: string
  forwarder: FindForwarder
  /** Why there can be no forwarder here, determined without building one. */
  lack: () => Promise<string | undefined>
  /** Replaces the forwarder where servers are processes. */
  socat: FindSocat
}
