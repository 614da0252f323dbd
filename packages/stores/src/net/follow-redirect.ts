import { invalid } from '@toolhaven/core/errors'
import { vetUrl } from './vet-url.ts'

export interface GuardedInit {
  method?: string
  headers?: Headers | Record<string, string>
  body?: string | Uint8Array<ArrayBuffer> | URLSearchParams | null
  redirect?: 'follow' | 'error' | 'manual'
  signal?: AbortSignal | null
}

export interface GuardedRequest {
  url: URL
  method: string
  headers: Headers
  body: string | Uint8Array<ArrayBuffer> | URLSearchParams | null
}

interface RedirectAnswer {
  status: number
  headers: { get(name: string): string | null }
}

const REDIRECTS = new Set([301, 302, 303, 307, 308])

/** Headers that another origin may see. All others (tokens, cookies, keys in any header) are removed. */
const CARRIED_TO_OTHER_ORIGINS = [
  'accept',
  'accept-language',
  'content-type',
  'if-modified-since',
  'if-none-match',
  'user-agent',
]

/** The request an answer asks for next, vetted like the first one; undefined when the answer is not a redirect. */
export function nextRequest(
  request: GuardedRequest,
  answer: RedirectAnswer,
  allowPrivate: boolean,
): GuardedRequest | undefined {
  const location = REDIRECTS.has(answer.status) ? answer.headers.get('location') : null
  if (location === null) return undefined
  const absolute = URL.parse(location, request.url)
  if (absolute === null) throw invalid(`${request.url.host} redirects to something that is not a URL`)
  // Keeps an absolute URL as sent, so that an odd notation of an address is still noticed.
  const text = URL.canParse(location) ? location : absolute.href
  const url = vetUrl(text, allowPrivate)
  if (request.url.protocol === 'https:' && url.protocol !== 'https:') {
    throw invalid(`${request.url.host} redirects from https to http, which is refused`)
  }
  const becomesGet =
    answer.status === 303 ? request.method !== 'HEAD' : answer.status < 303 && request.method === 'POST'
  const headers = url.origin === request.url.origin ? new Headers(request.headers) : carriedHeaders(request.headers)
  if (becomesGet) headers.delete('content-type')
  return becomesGet ? { url, headers, method: 'GET', body: null } : { ...request, url, headers }
}

function carriedHeaders(headers: Headers): Headers {
  const carried = new Headers()
  for (const name of CARRIED_TO_OTHER_ORIGINS) {
    const value = headers.get(name)
    if (value !== null) carried.set(name, value)
  }
  return carried
}
