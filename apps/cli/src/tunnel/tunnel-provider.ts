/** Somebody who gives a port of this machine an address that others can reach. */
export interface TunnelProvider {
  open(request: TunnelRequest, signal: AbortSignal): Promise<Tunnel>
}

export interface TunnelRequest {
  /** For the provider's own lists. */
  name: string
  /** What is to be reached; only its origin counts. */
  target: URL
  /** Of --provider-args, not checked yet. */
  args: unknown
}

export interface Tunnel {
  /** Origin others use. */
  url: string
  /** Resolves with the reason when the tunnel ends by itself. */
  lost: Promise<string>
  close(): Promise<void>
}
