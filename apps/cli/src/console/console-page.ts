import { randomBytes } from 'node:crypto'
import { readFile, readdir, stat } from 'node:fs/promises'
import { extname, join, relative } from 'node:path'
import { pageHeaders } from './page-headers.ts'

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
}

/** The placeholder that the build writes for the nonce of its styles. */
const NONCE_MARK = '__CSP_NONCE__'

/** Matches files whose name contains a hash of their content. */
const HASHED = /^\/assets\//

const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const

interface Listing {
  builtAt: number
  names: ReadonlySet<string>
}

/**
 * Serves the console from the present content of its folder. Returns undefined for requests that belong to the API: addresses that
 * are not a file of the console and that no person opens in a browser.
 */
export function createConsolePage(folder: string): (request: Request) => Promise<Response | undefined> {
  let listing: Listing | undefined
  /** The list of files, read again after a build. Paths outside the list are never opened. */
  const list = async (): Promise<ReadonlySet<string> | undefined> => {
    const found = await stat(join(folder, 'index.html')).catch(() => undefined)
    if (found === undefined) return undefined
    if (listing?.builtAt !== found.mtimeMs) listing = { builtAt: found.mtimeMs, names: await namesIn(folder) }
    return listing.names
  }
  return async (request) => {
    const { pathname } = new URL(request.url)
    if (request.method !== 'GET' && request.method !== 'HEAD') return undefined
    const names = await list()
    const isFile = names?.has(pathname) && pathname !== '/index.html' && !/\.(?:br|gz)$/.test(pathname)
    if (names && isFile) return fileResponse(folder, names, pathname, request)
    if (!isNavigation(request, pathname)) return undefined
    return names ? indexResponse(folder) : notBuilt()
  }
}

async function namesIn(folder: string): Promise<ReadonlySet<string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  return new Set(files.map((entry) => `/${relative(folder, join(entry.parentPath, entry.name))}`))
}

/** For an unknown address, programs get the answer of the API. */
function isNavigation(request: Request, pathname: string): boolean {
  const isOfApi = /^\/(?:api|health)(?:\/|$)/.test(pathname)
  return !isOfApi && !HASHED.test(pathname) && (request.headers.get('accept') ?? '').includes('text/html')
}

async function fileResponse(
  folder: string,
  names: ReadonlySet<string>,
  pathname: string,
  request: Request,
): Promise<Response> {
  const accepted = acceptedBy(request)
  const [encoding, extension] = ENCODINGS.find(
    ([name, extension]) => accepted.has(name) && names.has(`${pathname}${extension}`),
  ) ?? [undefined, '']
  const body = await readFile(join(folder, `${pathname}${extension}`))
  return new Response(new Uint8Array(body), {
    headers: {
      ...pageHeaders(),
      'content-type': TYPES[extname(pathname)] ?? 'application/octet-stream',
      'cache-control': HASHED.test(pathname) ? 'public, max-age=31536000, immutable' : 'no-cache',
      vary: 'accept-encoding',
      ...(encoding && { 'content-encoding': encoding }),
    },
  })
}

function acceptedBy(request: Request): ReadonlySet<string> {
  const offers = (request.headers.get('accept-encoding') ?? '').toLowerCase().split(',')
  const wanted = offers.filter((offer) => !/;\s*q=0(?:\.0*)?\s*$/.test(offer))
  return new Set(wanted.map((offer) => offer.split(';', 1)[0]?.trim() ?? ''))
}

async function indexResponse(folder: string): Promise<Response> {
  const page = await readFile(join(folder, 'index.html'), 'utf8')
  const nonce = page.includes(NONCE_MARK) ? randomBytes(16).toString('base64') : undefined
  return htmlResponse(nonce === undefined ? page : page.replaceAll(NONCE_MARK, nonce), 200, nonce)
}

function notBuilt(): Response {
  const page = `<!doctype html>
<html lang="en">
<title>Toolhaven</title>
<h1>The console is not built</h1>
<p>This daemon runs from its sources. Build the console with <code>npm run build:console</code> and reload this page.</p>
<p>The API is at <a href="/api/openapi.json">/api/openapi.json</a>.</p>
</html>
`
  return htmlResponse(page, 503)
}

function htmlResponse(page: string, status: number, nonce?: string): Response {
  return new Response(page, {
    status,
    headers: { ...pageHeaders(nonce), 'content-type': TYPES['.html'] ?? '', 'cache-control': 'no-store' },
  })
}
