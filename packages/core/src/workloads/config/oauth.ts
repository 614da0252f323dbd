import type { RemoteAuthConfig } from '@toolhaven/contract/access-config'
import type { RunConfig } from '@toolhaven/contract/run-config'
import type { CreateRequest, OauthOptions } from '@toolhaven/contract/workload-request'
import { invalid, notFound } from '../../errors.ts'
import { parseUrl } from '../../net/parse-url.ts'
import type { LoginSpec } from '../../ports/gateway.ts'
import { oauthSecret } from './generated-secrets.ts'
import { clientSecretOfFile, type FilesDeps, remoteCertificate } from './named-files.ts'
import type { SupervisorDeps } from '../running/supervisor-deps.ts'
import type { Target } from '../operations/target.ts'
import { withoutEmpty } from './without-empty.ts'
import type { WorkloadsDeps } from '../workloads-deps.ts'

/** The login settings for the remote server in the run configuration: from the request, otherwise from the registry entry. */
export function oauthConfigOf(asked: OauthOptions | undefined, target: Target): RemoteAuthConfig {
  if (target.kind !== 'remote') {
    if (asked) throw invalid('oauth_config is only for remote servers; remove it')
    return {}
  }
  const { client_secret: clientSecret, allow_private_ip: allowPrivateIP, ...rest } = asked ?? {}
  // PKCE is always used, whatever an entry says. A request that forbids it is refused below.
  const { use_pkce: _entryPkce, ...ofEntry } = target.entry?.oauth_config ?? {}
  const isOwn = Object.keys(rest).length > 0
  return withoutEmpty({ ...(isOwn ? rest : ofEntry), clientSecret, allowPrivateIP })
}

/** The same, from a request. */
export function oauthOptionsOf(config: RemoteAuthConfig | undefined): OauthOptions | undefined {
  const options = withoutEmpty({
    issuer: config?.issuer,
    authorize_url: config?.authorize_url,
    token_url: config?.token_url,
    client_id: config?.client_id,
    client_secret: config?.clientSecret,
    scopes: config?.scopes,
    use_pkce: config?.use_pkce,
    callback_port: config?.callback_port,
    oauth_params: config?.oauth_params,
    allow_private_ip: config?.allowPrivateIP,
  })
  return Object.keys(options).length > 0 ? options : undefined
}

/** Checks that need no network. */
export function checkOauth(options: OauthOptions): void {
  if (options.use_pkce === false)
    throw invalid('oauth_config: use_pkce cannot be false, because codes can be stolen without PKCE; remove it')
  const { authorize_url: authorizeUrl, token_url: tokenUrl, client_id: clientId } = options
  if ((authorizeUrl === undefined) !== (tokenUrl === undefined))
    throw invalid('oauth_config: authorize_url and token_url go together; set both, or only the issuer')
  if (authorizeUrl !== undefined && clientId === undefined)
    throw invalid('oauth_config: authorize_url needs client_id; set it, or only the issuer')
  if (options.client_secret && !clientId) throw invalid('oauth_config: client_secret needs client_id')
  checkAddress('issuer', options.issuer)
  checkAddress('authorize_url', authorizeUrl)
  checkAddress('token_url', tokenUrl)
}

function checkAddress(field: string, text: string | undefined): void {
  if (!text) return
  const url = parseUrl(text)
  const isGood = url && url.username === '' && url.password === '' && url.hash === ''
  // Plain http is for this machine and its network. Whether the address is there is checked when it is used.
  if (!isGood || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw invalid(`oauth_config: ${field} must be an https address, without user name, password or fragment`)
}

/** The client secret goes to the secret store. A value that names a stored secret is used as that name. */
export async function hideOauthSecret(
  deps: Pick<WorkloadsDeps, 'secretExists' | 'storeSecret'>,
  config: RunConfig,
): Promise<RunConfig> {
  const given = config.remote_auth_config?.clientSecret
  if (given === undefined || (await deps.secretExists(given))) return config
  const key = oauthSecret(config.name)
  if (given === key) throw notFound(`secret ${key} not found; set oauth_config.client_secret again`)
  await deps.storeSecret(key, given)
  return { ...config, remote_auth_config: { ...config.remote_auth_config, clientSecret: key } }
}

/** The request, with the name of the secret in place of its value. */
export function withoutOauthSecret(asked: CreateRequest, config: RunConfig): CreateRequest {
  const clientSecret = config.remote_auth_config?.clientSecret
  if (!asked.oauth_config || clientSecret === undefined) return asked
  return { ...asked, oauth_config: { ...asked.oauth_config, client_secret: clientSecret } }
}

/** For the gateway, which needs the secret itself. */
export async function loginSpec(
  deps: Pick<SupervisorDeps, 'readSecret' | 'masker'> & FilesDeps,
  config: RunConfig,
): Promise<LoginSpec> {
  const { name, remote_auth_config: auth = {} } = config
  const clientSecret =
    auth.clientSecret === undefined ? await clientSecretOfFile(deps, config) : await deps.readSecret(auth.clientSecret)
  if (clientSecret !== undefined) deps.masker.hold(oauthOwner(name), [clientSecret])
  return withoutEmpty({
    issuer: auth.issuer,
    authorizeUrl: auth.authorize_url,
    tokenUrl: auth.token_url,
    clientId: auth.client_id,
    clientSecret,
    scopes: auth.scopes,
    callbackPort: auth.callback_port,
    params: auth.oauth_params,
    allowPrivateIp: auth.allowPrivateIP,
    caCertificate: await remoteCertificate(deps, config),
  })
}

/** Owner of the client secret in the masker; no workload has such a name. */
export const oauthOwner = (workload: string) => `${workload}/oauth`
