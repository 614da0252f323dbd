import type { StdioChannel } from './runtime.ts'

export interface TunnelSpec {
  /** Opened on 127.0.0.1 of this machine; each leads to the same port inside. */
  ports: readonly number[]
  /** The one address that is reachable from inside, at 127.0.0.1 with the same port. */
  target: { host: string; port: number }
}

/**
 * The only way in and out of a Node process that has no network: connections travel as frames over its stdin and stdout.
 * It works alike in every runtime, and nothing but the listed ports can be reached through it.
 */
export interface Tunnel extends AsyncDisposable {
  /** An ES module that the process runs first (`node --import`); it keeps stdout for the tunnel. */
  readonly preload: string
  /** Between attach and start of the instance. */
  connect(channel: StdioChannel): void
  /** Something inside listens on the first port; rejects when the process ends before that. */
  readonly ready: Promise<void>
  /** The process ended, or the runtime lost it; gives its last words. */
  readonly ended: Promise<string>
}

/** Fails with `conflict` when a port is taken. */
export type OpenTunnel = (spec: TunnelSpec) => Promise<Tunnel>
