import { createHash } from 'node:crypto'
import { readFile, readdir } from 'node:fs/promises'
import path from 'node:path'

export interface SiteFile {
  body: Buffer
  type: string
  etag: string
  /** Its name changes with its content, so it may be kept for good. */
  immutable: boolean
  compressible: boolean
}

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
  '.xml': 'application/xml; charset=utf-8',
  '.yaml': 'application/yaml; charset=utf-8',
}

/**
 * Everything the build made, in memory and by address: some ten megabytes, and no request can reach a file that was not
 * there when the server started. Names that begin with a dot are the build's own and not served.
 */
export async function readSiteFiles(folder: string): Promise<ReadonlyMap<string, SiteFile>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = new Map<string, SiteFile>()
  for (const entry of entries) {
    const file = path.join(entry.parentPath, entry.name)
    const address = `/${path.relative(folder, file).split(path.sep).join('/')}`
    if (entry.isFile() && !address.includes('/.')) files.set(address, siteFile(address, await readFile(file)))
  }
  return files
}

function siteFile(address: string, body: Buffer): SiteFile {
  const type = TYPES[path.extname(address)] ?? 'application/octet-stream'
  return {
    body,
    type,
    etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`,
    immutable: address.startsWith('/assets/'),
    compressible: /^text\/|json|xml|yaml|svg/.test(type) && body.length > 512,
  }
}
