/**
 * How the gateway reaches an identity provider. The implementation vets each address it connects to, redirects
 * included.
 */
export type IdentityFetch = (
  url: string,
  init?: {
    method?: string
    headers?: Headers | Record<string, string>
    body?: URLSearchParams
    redirect?: 'follow' | 'error' | 'manual'
    signal?: AbortSignal
  },
) => Promise<Response>
