import { createHash } from 'node:crypto'
import type { SiteFile } from './site-files.ts'

const TAG_MANAGER = 'https://www.googletagmanager.com'

/** What the built site talks to besides its own origin: nothing, unless it was configured so. */
export interface Outside {
  searchOrigins: readonly string[]
  tagManager: boolean
}

export function securityHeaders(files: ReadonlyMap<string, SiteFile>, outside: Outside): Record<string, string> {
  const scripts = outside.tagManager ? [TAG_MANAGER] : []
  const policy = {
    'default-src': ["'self'"],
    'script-src': ["'self'", ...inlineScriptHashes(files), ...scripts],
    // React, the API viewer and the diagrams set styles on elements, which no hash can cover.
    'style-src': ["'self'", "'unsafe-inline'"],
    'img-src': ["'self'", 'data:', ...scripts],
    'font-src': ["'self'", 'data:'],
    'connect-src': ["'self'", ...outside.searchOrigins, ...scripts],
    'worker-src': ["'self'", 'blob:'],
    'object-src': ["'none'"],
    'base-uri': ["'self'"],
    'form-action': ["'self'"],
    'frame-src': outside.tagManager ? scripts : ["'none'"],
    'frame-ancestors': ["'none'"],
  }
  return {
    'Content-Security-Policy': Object.entries(policy)
      .map(([name, values]) => `${name} ${values.join(' ')}`)
      .join('; '),
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
    'Referrer-Policy': 'strict-origin-when-cross-origin',
    'X-Content-Type-Options': 'nosniff',
  }
}

/** Of every script that stands in a page. Blocks of data (JSON-LD) are not run and need none. */
export function inlineScriptHashes(files: ReadonlyMap<string, SiteFile>): string[] {
  const hashes = new Set<string>()
  for (const file of files.values()) {
    if (!file.type.startsWith('text/html')) continue
    for (const [, attributes = '', code = ''] of file.body
      .toString('utf8')
      .matchAll(/<script\b([^>]*)>([\s\S]*?)<\/script>/gi)) {
      if (/\bsrc\s*=|\btype\s*=\s*["']?application\/(?:ld\+)?json/i.test(attributes)) continue
      hashes.add(`'sha256-${createHash('sha256').update(code).digest('base64')}'`)
    }
  }
  return [...hashes].toSorted()
}
