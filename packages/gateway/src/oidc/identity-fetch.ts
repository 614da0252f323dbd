/** How the gateway reaches an identity provider. Whoever gives it vets the address that is dialled, redirects included. */
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
