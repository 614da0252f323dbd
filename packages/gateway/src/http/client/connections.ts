import type { UpstreamResponse } from './upstream-response.ts'

export interface UpstreamRequest {
  method: 'GET' | 'POST' | 'DELETE'
  url: URL
  headers: Readonly<Record<string, string>>
  body: string | undefined
  /** It does no harm if the server gets it twice; left out: it may. */
  isRepeatable?: boolean | undefined
  signal: AbortSignal
}

/** Of one kind of server. */
export interface Connections {
  send(request: UpstreamRequest, path: string): Promise<UpstreamResponse>
  close(): void
}
