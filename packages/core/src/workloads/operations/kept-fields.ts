import type { RunConfig } from '@toolhaven/contract/run-config'
import { isSameJson } from '../config/is-same-json.ts'

/** Fields that a run configuration has and a request does not. An import sets them, edits keep them, and an export shows them. */
const FIELDS = [
  ...(['target_host', 'debug', 'permission_profile_name_or_path', 'thv_ca_bundle', 'jwks_auth_token_file'] as const),
  ...(['base_name', 'container_name', 'k8s_pod_template_patch'] as const),
] satisfies readonly (keyof RunConfig)[]
const OIDC_FIELDS = ['cacertPath', 'authTokenFile'] as const
const LOGIN_FIELDS = ['clientSecretFile', 'enableRemoteAuth', 'skipBrowser', 'timeout'] as const

/** The configuration with these fields taken from another one. */
export function withKept(config: RunConfig, from: RunConfig): RunConfig {
  const oidc = pick(from.oidc_config, OIDC_FIELDS)
  const login = pick(from.remote_auth_config, LOGIN_FIELDS)
  return {
    ...config,
    ...pick(from, FIELDS),
    ...(config.oidc_config && { oidc_config: { ...config.oidc_config, ...oidc } }),
    ...(config.remote_url !== undefined &&
      Object.keys(login).length > 0 && { remote_auth_config: { ...config.remote_auth_config, ...login } }),
  }
}

/**
 * After an edit. Fields that belong to a server, a provider or a profile are dropped when the edit names another one. Another
 * version is the same server.
 */
export function withKeptOfEdited(config: RunConfig, before: RunConfig, isUpgrade = false): RunConfig {
  const from: RunConfig = { ...before }
  const isSameServer =
    isUpgrade ||
    (config.image === before.image &&
      config.remote_url === before.remote_url &&
      config.folder?.path === before.folder?.path)
  if (!isSameServer || config.base_name !== undefined) delete from.base_name
  if (config.remote_url !== undefined || before.remote_url !== undefined) delete from.container_name
  if (!isSameServer || config.transport === 'stdio') delete from.target_host
  if (!isSameJson(config.permission_profile, before.permission_profile)) delete from.permission_profile_name_or_path
  // A token belongs to one provider.
  if (!isSameProvider(config, before)) {
    delete from.oidc_config
    delete from.jwks_auth_token_file
  }
  if (!isSameServer || !isSameLogin(config, before)) delete from.remote_auth_config
  return withKept(config, from)
}

function isSameProvider({ oidc_config: now }: RunConfig, { oidc_config: before }: RunConfig): boolean {
  const addresses = ['issuer', 'jwksurl', 'introspectionURL'] as const
  return isSameJson(pick(now, addresses), pick(before, addresses))
}

function isSameLogin({ remote_auth_config: now }: RunConfig, { remote_auth_config: before }: RunConfig): boolean {
  const addresses = ['issuer', 'authorize_url', 'token_url', 'client_id'] as const
  return isSameJson(pick(now, addresses), pick(before, addresses))
}

function pick<T extends object, Key extends keyof T>(from: T | undefined, keys: readonly Key[]): Partial<Pick<T, Key>> {
  const picked: Partial<Pick<T, Key>> = {}
  for (const key of keys) if (from?.[key] !== undefined) picked[key] = from[key]
  return picked
}
