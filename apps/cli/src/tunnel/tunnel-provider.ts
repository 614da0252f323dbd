/** A service that gives a port of this machine an address that others can reach. */
export interface TunnelProvider {
  open(request: TunnelRequest, signal: AbortSignal): Promise<Tunnel>
}

export interface TunnelRequest {
  /** Shown in the provider's own lists. */
  name: string
  /** The server to reach. Only its origin counts. */
  target: URL
  /** From --provider-args, not checked yet. */
  args: unknown
}

export interface Tunnel {
  /** The public origin. */
  url: string
  /** Resolves with the reason when the tunnel ends unexpectedly. */
  lost: Promise<string>
  close(): Promise<void>
}
