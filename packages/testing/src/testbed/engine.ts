/** A private container engine of the testbed. */
export interface Engine extends AsyncDisposable {
  kind: 'docker' | 'podman'
  socketPath: string
  /** Ends it without warning, as a power cut would. */
  kill: () => Promise<void>
  /** Starts it again on the same data, after `kill` or `stop`. */
  start: () => Promise<void>
  stop: () => Promise<void>
}
