import type { RunConfig } from '@toolhaven/contract/run-config'
import type { CreateRequest, OidcOptions } from '@toolhaven/contract/workload-request'
import { invalid, notFound } from '../../errors.ts'
import { parseUrl } from '../../net/parse-url.ts'
import type { AuthenticationSpec } from '../../ports/gateway.ts'
import { oidcSecret } from './generated-secrets.ts'
import { type FilesDeps, providerCertificate, providerToken } from './named-files.ts'
import type { SupervisorDeps } from '../running/supervisor-deps.ts'
import { withoutEmpty } from './without-empty.ts'
import type { WorkloadsDeps } from '../workloads-deps.ts'

type OidcConfig = NonNullable<RunConfig['oidc_config']>

/** Who may call, for the run configuration. */
export function oidcConfigOf(asked: OidcOptions | undefined): OidcConfig | undefined {
  const config = withoutEmpty({
    issuer: asked?.issuer,
    audience: asked?.audience,
    jwksurl: asked?.jwks_url,
    clientID: asked?.client_id,
    clientSecret: asked?.client_secret,
    introspectionURL: asked?.introspection_url,
    resourceURL: asked?.resource_url,
    allowPrivateIP: asked?.allow_private_ip,
  })
  return Object.keys(config).length > 0 ? config : undefined
}

/** The same, from a request. */
export function oidcOptionsOf(config: OidcConfig | undefined): OidcOptions | undefined {
  if (config === undefined) return undefined
  return withoutEmpty({
    issuer: config.issuer,
    audience: config.audience,
    jwks_url: config.jwksurl,
    client_id: config.clientID,
    client_secret: config.clientSecret,
    introspection_url: config.introspectionURL,
    resource_url: config.resourceURL,
    allow_private_ip: config.allowPrivateIP,
  })
}

/** Checks that need no provider. */
export function checkOidc(oidc: OidcOptions): void {
  const { issuer, jwks_url: jwksUrl, introspection_url: introspectionUrl, resource_url: resourceUrl } = oidc
  if (!issuer && !jwksUrl) throw invalid('oidc: set issuer or jwks_url; without either, tokens cannot be checked')
  if (oidc.client_secret && !oidc.client_id) throw invalid('oidc: client_secret needs client_id')
  const isPrivateAllowed = oidc.allow_private_ip === true
  checkAddress('issuer', issuer, isPrivateAllowed)
  checkAddress('jwks_url', jwksUrl, isPrivateAllowed)
  checkAddress('introspection_url', introspectionUrl, isPrivateAllowed)
  // The resource is only a name; clients make an address of it.
  checkAddress('resource_url', resourceUrl, true)
}

function checkAddress(field: string, text: string | undefined, isHttpAllowed: boolean): void {
  if (!text) return
  const url = parseUrl(text)
  const isGood = url && url.username === '' && url.password === '' && url.hash === ''
  if (!isGood || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw invalid(`oidc: ${field} must be an https address, without user name, password or fragment`)
  if (url.protocol === 'http:' && !isHttpAllowed)
    throw invalid(`oidc: ${field} must use https; http is only for private addresses, with allow_private_ip`)
}

/** The client secret goes to the secret store. A value that names a stored secret is used as that name. */
export async function hideOidcSecret(
  deps: Pick<WorkloadsDeps, 'secretExists' | 'storeSecret'>,
  config: RunConfig,
): Promise<RunConfig> {
  const given = config.oidc_config?.clientSecret
  if (given === undefined || (await deps.secretExists(given))) return config
  const key = oidcSecret(config.name)
  if (given === key) throw notFound(`secret ${key} not found; set oidc.client_secret again`)
  await deps.storeSecret(key, given)
  return { ...config, oidc_config: { ...config.oidc_config, clientSecret: key } }
}

/** The request, with the name of the secret in place of its value. */
export function withoutOidcSecret(asked: CreateRequest, config: RunConfig): CreateRequest {
  const clientSecret = config.oidc_config?.clientSecret
  if (!asked.oidc || clientSecret === undefined) return asked
  return { ...asked, oidc: { ...asked.oidc, client_secret: clientSecret } }
}

/** For the gateway, which needs the secret itself. */
export async function authenticationSpec(
  deps: Pick<SupervisorDeps, 'readSecret' | 'masker'> & FilesDeps,
  config: RunConfig,
): Promise<AuthenticationSpec | undefined> {
  const { name, oidc_config: oidc } = config
  if (oidc === undefined) return undefined
  const clientSecret = oidc.clientSecret === undefined ? undefined : await deps.readSecret(oidc.clientSecret)
  const authToken = await providerToken(deps, config)
  const secrets = [clientSecret, authToken].filter((secret) => secret !== undefined)
  if (secrets.length > 0) deps.masker.hold(oidcOwner(name), secrets)
  return withoutEmpty({
    issuer: oidc.issuer,
    audience: oidc.audience,
    jwksUrl: oidc.jwksurl,
    introspectionUrl: oidc.introspectionURL,
    clientId: oidc.clientID,
    clientSecret,
    resourceUrl: oidc.resourceURL,
    allowPrivateIp: oidc.allowPrivateIP,
    caCertificate: await providerCertificate(deps, config),
    authToken,
  })
}

/** Owner of the client secret in the masker, separate from the secrets of the server; no workload has such a name. */
export const oidcOwner = (workload: string) => `${workload}/oidc`
