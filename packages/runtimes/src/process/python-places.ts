import { statSync } from 'node:fs'
import { basename, isAbsolute, join } from 'node:path'
import { defaultPythonIndex, withFileHosts } from '../package-index/default-indexes.ts'
import { hasCredentials, indexPlaces } from '../package-index/index-places.ts'
import { proxyPlaces } from '../package-index/network-variables.ts'
import { pipVariables, readPipSettings } from '../package-index/pip-settings.ts'
import type { PipSettings } from '../package-index/pip-settings.ts'
import type { Python } from '../package-index/python.ts'
import { pythonSettings } from '../package-index/python-settings.ts'
import { refuseUvFiles } from '../package-index/uv-files.ts'
import { isUvCredential, uvIndexVariables } from '../package-index/uv-variables.ts'
import { bundleCertificates } from './bundle-certificates.ts'
import { isSystemPath } from './layout.ts'
import type { Layout } from './layout.ts'
import type { PackageTools } from './package-tools.ts'

/** How a fetch reaches the user's package index. */
export interface IndexAccess {
  scratch: string
  scratchName: string
  /** Whether the index address contains credentials, which code of packages must not see. */
  hasCredentials: boolean
  /** The indexes in use, as `host:port`. */
  places: string[]
  /** The proxy of pip's settings, in the same form. */
  proxyPlaces: string[]
  pipVariables(layout: Layout): Record<string, string>
  uvVariables(layout: Layout): Record<string, string>
}

export function placePython(layout: Layout, { prefixes }: Python): void {
  for (const prefix of prefixes) if (!isSystemPath(prefix)) layout.place(prefix, prefix)
}

export async function indexAccess(
  { env, homeDir, sandbox }: PackageTools,
  scratch: string,
  caCertificate: string | undefined,
  signal: AbortSignal,
): Promise<IndexAccess> {
  await refuseUvFiles({ env, homeDir })
  const pip = await readPipSettings({ env, homeDir })
  const chosen = pip['cert'] ?? env['SSL_CERT_FILE'] ?? env['REQUESTS_CA_BUNDLE']
  // A certificate of ours is added to what is trusted anyway. Alone it would replace it.
  const base = chosen ?? (caCertificate === undefined ? undefined : SYSTEM_BUNDLES.find(isFileSync))
  const bundle = await bundleCertificates(join(scratch, 'certificates.pem'), [base], caCertificate)
  const certificates = bundle !== undefined && sandbox.isolatesFiles ? '/tmp/certificates.pem' : bundle
  const uvVariables = uvIndexVariables(env, pip)
  const usual = await defaultPythonIndex(env, signal)
  const placeFolders = (layout: Layout) => {
    for (const folder of (pip['find-links'] ?? '').split('\n'))
      if (isAbsolute(folder) && existsSync(folder)) layout.place(folder, folder)
  }
  return {
    scratch,
    scratchName: basename(scratch),
    hasCredentials: Object.entries(uvVariables).some(([name, value]) => isUvCredential(name) || hasCredentials(value)),
    places: placesOf(uvVariables, usual),
    proxyPlaces: proxyPlaces([pip['proxy']]),
    pipVariables: (layout) => {
      placeFolders(layout)
      return { ...pipVariables(ownIndex(env, pip)), ...(certificates === undefined ? {} : { PIP_CERT: certificates }) }
    },
    uvVariables: (layout) => {
      placeFolders(layout)
      return {
        ...uvVariables,
        ...(certificates === undefined ? { UV_NATIVE_TLS: '1' } : { SSL_CERT_FILE: certificates }),
      }
    },
  }
}

/** For uv itself, which comes from the main index where pip cannot ask the others in order. */
function ownIndex(...[env, found]: Parameters<typeof pythonSettings>): PipSettings {
  const { pip, first } = pythonSettings(env, found)
  const { 'extra-index-url': extra, cert: _cert, 'client-cert': _client, 'keyring-provider': _keyring, ...kept } = pip
  return extra === undefined || first.length > 0 ? kept : { ...kept, 'extra-index-url': extra }
}

function placesOf(uvVariables: Readonly<Record<string, string>>, usual: readonly string[]): string[] {
  const { UV_NO_INDEX: noIndex, UV_INDEX_URL: url, UV_DEFAULT_INDEX: main } = uvVariables
  const isDefault = noIndex === undefined && url === undefined && main === undefined
  const named = Object.entries(uvVariables)
    .filter(([name]) => /INDEX|FIND_LINKS/.test(name))
    // uv names an index as `name=https://…`.
    .flatMap(([, value]) => value.split(/[\s,]+/).map((word) => word.replace(/^[\w-]+=(?=https?:)/, '')))
  return indexPlaces(withFileHosts([...named, ...(isDefault ? usual.slice(0, 1) : [])], usual))
}

const SYSTEM_BUNDLES = ['/etc/ssl/certs/ca-certificates.crt', '/etc/pki/tls/certs/ca-bundle.crt', '/etc/ssl/cert.pem']

function isFileSync(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true
}

function existsSync(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined
}
