import { parseOutside } from '@toolhaven/contract/parse-outside'
import { BUILT_IN_PROFILES, type PermissionProfile, permissionProfile } from '@toolhaven/contract/permission-profile'
import type { RunConfig } from '@toolhaven/contract/run-config'
import { isHeaderValue } from '@toolhaven/contract/text'
import { invalid } from '../../errors.ts'
import type { Host } from '../../ports/host.ts'
import { excerpt } from '@toolhaven/contract/visible-text'

export interface FilesDeps {
  host: Pick<Host, 'readConfigFile' | 'readTextFile'>
  /** PEM text of a file of certificates. Throws `invalid` if it has none. */
  readCertificate: (path: string) => Promise<string>
}

/** The files that a run configuration names must exist and have the right content. They are read again at every start. */
export async function checkNamedFiles(deps: FilesDeps, config: RunConfig): Promise<void> {
  await remoteCertificate(deps, config)
  await providerCertificate(deps, config)
  await providerToken(deps, config)
  await clientSecretOfFile(deps, config)
}

/** The CA certificates to trust, besides the usual ones, for the remote server and its login. */
export async function remoteCertificate(deps: FilesDeps, { thv_ca_bundle: path }: RunConfig) {
  return path === undefined ? undefined : readCertificate(deps, 'thv_ca_bundle', path)
}

/** The same for the provider of callers' tokens. */
export async function providerCertificate(deps: FilesDeps, config: RunConfig) {
  const path = config.oidc_config?.cacertPath
  return path === undefined ? remoteCertificate(deps, config) : readCertificate(deps, 'oidc_config.cacertPath', path)
}

/** The bearer token for fetching the provider's keys. */
export async function providerToken(deps: FilesDeps, config: RunConfig): Promise<string | undefined> {
  const own = config.oidc_config?.authTokenFile
  if (own !== undefined) return readSecretFile(deps, 'oidc_config.authTokenFile', own)
  const path = config.jwks_auth_token_file
  return path === undefined ? undefined : readSecretFile(deps, 'jwks_auth_token_file', path)
}

export async function clientSecretOfFile(deps: FilesDeps, config: RunConfig): Promise<string | undefined> {
  const path = config.remote_auth_config?.clientSecretFile
  return path === undefined ? undefined : readSecretFile(deps, 'remote_auth_config.clientSecretFile', path)
}

/** The built-in profile of that name, or the one in the file. */
export async function readProfile({ host }: FilesDeps, nameOrPath: string): Promise<PermissionProfile> {
  const builtIn = Object.values(BUILT_IN_PROFILES).find(({ name }) => name === nameOrPath)
  if (builtIn) return builtIn
  const where = `permission_profile_name_or_path: "${excerpt(nameOrPath)}"`
  if (!isAbsolute(nameOrPath)) throw invalid(`${where} must be "none", "network" or an absolute path`)
  const text = await host.readTextFile(nameOrPath)
  if (text === undefined) throw invalid(`${where} does not exist on this machine; create it, or use another file`)
  // The message shows nothing of the file's content, because it may be the wrong file.
  const parsed = parseOutside(permissionProfile, parseJson(text))
  if (!parsed.success) throw invalid(`${where} does not contain a valid permission profile; check its fields`)
  return parsed.data
}

async function readCertificate(deps: FilesDeps, field: string, path: string): Promise<string> {
  if (!isAbsolute(path)) throw invalid(`${field}: "${excerpt(path)}" must be an absolute path`)
  return deps.readCertificate(path)
}

async function readSecretFile({ host }: FilesDeps, field: string, path: string): Promise<string> {
  const text = await host.readConfigFile(path)
  if (text === undefined)
    throw invalid(`${field}: there is no file "${excerpt(path)}" below the configuration folder; create it first`)
  const secret = text.trim()
  if (secret === '' || !isHeaderValue(secret))
    throw invalid(`${field}: "${excerpt(path)}" must hold one line of text, the secret itself`)
  return secret
}

const isAbsolute = (path: string) => path.startsWith('/')

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // not a profile either
  }
}
