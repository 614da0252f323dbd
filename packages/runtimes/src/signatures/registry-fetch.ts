/** The part of `fetch` that registries are asked with. */
export type RegistryFetch = (
  url: string,
  init: {
    method?: string
    headers?: Record<string, string>
    body?: URLSearchParams
    redirect?: 'error'
    signal: AbortSignal
  },
) => Promise<Response>
