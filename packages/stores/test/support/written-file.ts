import type { ClientType } from '@toolhaven/contract/client-types'
import type { ClientEntry } from '@toolhaven/core/ports/clients'

export const HTTP: ClientEntry = { url: 'http://127.0.0.1:18342/mcp', transport: 'streamable-http' }
export const SSE: ClientEntry = { url: 'http://127.0.0.1:18342/sse', transport: 'sse' }

/** A file as the program or its users write it, with a server of their own, and what ours must look like in it. */
export interface WrittenFile {
  client: ClientType
  /** Below the home folder, on Linux. */
  file: string
  /** Where its servers are. */
  key: string
  text: string
  http: object
  sse: object
}
