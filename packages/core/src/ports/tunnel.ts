import type { StdioChannel } from './runtime.ts'

export interface TunnelSpec {
  /** Ports to open on 127.0.0.1 of this machine; each leads to the same port inside. */
  ports: readonly number[]
  /** The only address that the process can reach, at 127.0.0.1 with the same port. */
  target: { host: string; port: number }
}

/**
 * The only way in and out of a Node process without a network: connections travel as frames over its stdin and stdout. It works the
 * same in every runtime, and gives access to the listed ports only.
 */
export interface Tunnel extends AsyncDisposable {
  /** An ES module that the process runs first (`node --import`); it reserves stdout for the tunnel. */
  readonly preload: string
  /** Call it after attaching to the instance and before starting it. */
  connect(channel: StdioChannel): void
  /** Resolves when a program inside listens on the first port. Rejects if the process ends before that. */
  readonly ready: Promise<void>
  /** Resolves with the last output when the process has ended or the runtime has lost it. */
  readonly ended: Promise<string>
}

/** Fails with `conflict` when a port is taken. */
export type OpenTunnel = (spec: TunnelSpec) => Promise<Tunnel>
