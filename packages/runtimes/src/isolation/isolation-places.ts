import type { FindForwarder } from './forwarder-program.ts'
import type { FindSocat } from './socat.ts'

/** What a runtime needs to run servers on a loopback only. */
export interface IsolationPlaces {
  /** A folder of the daemon's user alone, with a short path: sockets of the ways in are made below it. */
  socketDir: string
  forwarder: FindForwarder
  /** Why there can be no forwarder here, found without building one. */
  lack: () => Promise<string | undefined>
  /** Stands in for the forwarder where servers are processes. */
  socat: FindSocat
}
