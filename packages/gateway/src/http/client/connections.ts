import type { UpstreamResponse } from './upstream-response.ts'

export interface UpstreamRequest {
  method: 'GET' | 'POST' | 'DELETE'
  url: URL
  headers: Readonly<Record<string, string>>
  body: string | undefined
  /** The request does no harm if the server gets it twice. Default: it may do harm. */
  isRepeatable?: boolean | undefined
  signal: AbortSignal
}

/** The connections to one kind of server. */
export interface Connections {
  send(request: UpstreamRequest, path: string): Promise<UpstreamResponse>
  close(): void
}
