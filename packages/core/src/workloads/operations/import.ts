import type { RunConfig } from '@toolhaven/contract/run-config'
import type { CreateRequest } from '@toolhaven/contract/workload-request'
import { isThisMachine } from '../config/check-config.ts'
import { parseSecretReference } from '../running/instance-spec.ts'
import { invalid, isThvError } from '../../errors.ts'
import { excerpt } from '@toolhaven/contract/visible-text'
import { oauthOptionsOf } from '../config/oauth.ts'
import { oidcOptionsOf } from '../config/oidc.ts'
import { middlewareConfigs } from '../config/middleware-configs.ts'
import { checkNamedFiles, readProfile } from '../config/named-files.ts'
import type { WorkloadsDeps } from '../workloads-deps.ts'
import { type Origin, createWorkload } from './create.ts'
import { type Problems, REFUSE } from '../config/problems.ts'

/** Runs an exported configuration. An exported configuration can be imported and exported again unchanged. */
export async function importWorkload(
  deps: WorkloadsDeps,
  config: RunConfig,
  confirmed: Confirmed = {},
): Promise<{ name: string; port: number }> {
  const { request, origin } = await draftImport(deps, config, confirmed, REFUSE)
  return createWorkload(deps, request, origin)
}

export type Confirmed = Pick<CreateRequest, 'accept_network' | 'accept_mounts'> & {
  accept_secrets?: boolean | undefined
}

/** The request that creates a workload from an exported configuration. */
export async function draftImport(
  deps: WorkloadsDeps,
  config: RunConfig,
  confirmed: Confirmed,
  problems: Problems,
): Promise<{ request: CreateRequest; origin: Origin }> {
  problems.check('folder', () => refuseFolder(config), undefined)
  problems.check('target_host', () => checkTargetHost(config), undefined)
  await problems.wait(undefined, () => checkNamedFiles(deps, config), undefined)
  await problems.wait('oidc_config', () => checkSecret(deps, config.oidc_config?.clientSecret), undefined)
  problems.check('middleware_configs', () => refuseForeignMiddleware(config), undefined)
  const auth = config.remote_auth_config
  await problems.wait('remote_auth_config', () => checkRemoteAuth(deps, config, confirmed), undefined)
  problems.check('accept_secrets', () => refuseSecrets(config, confirmed), undefined)
  const request = await fromRegistry(deps, config, {
    ...requestOf(await withProfile(deps, config)),
    ...(confirmed.accept_network && { accept_network: true }),
    ...(confirmed.accept_mounts && { accept_mounts: true }),
  })
  const headers = auth?.headers_from_secrets ? { remote_auth_config: auth } : {}
  return { request, origin: { urlOrigin: 'import', imported: config, ...headers } }
}

/** Values from a registry entry still come from it, if the registry has the entry and it names the same server. */
async function fromRegistry(deps: WorkloadsDeps, config: RunConfig, request: CreateRequest): Promise<CreateRequest> {
  const found = await entryNow(deps, config.base_name)
  if (!found) return request
  const isSame = 'url' in found.server ? found.server.url === config.remote_url : found.server.image === config.image
  if (!isSame) return request
  const { url: _url, permission_profile: profile, ...rest } = request
  const isOfEntry = JSON.stringify(found.server.permissions) === JSON.stringify(profile)
  return { ...rest, image: found.name, ...(profile && !isOfEntry && { permission_profile: profile }) }
}

/** The registry may have the server in a form that cannot run, while the configuration itself can. */
async function entryNow({ findServer }: WorkloadsDeps, name: string | undefined) {
  if (name === undefined) return undefined
  return findServer(name).catch((error: unknown) => {
    if (isThvError(error, 'not-found')) return undefined
    throw error
  })
}

/** The secrets belong to the user, but the author of the configuration chose the server that gets them. */
function refuseSecrets(config: RunConfig, confirmed: Confirmed): void {
  if (confirmed.accept_secrets === true) return
  const { secrets = [], remote_auth_config: auth, oidc_config: oidc } = config
  const names = [
    ...secrets.map((reference) => parseSecretReference(reference).name),
    ...Object.values(auth?.headers_from_secrets ?? {}),
    ...[auth?.clientSecret, auth?.clientSecretFile, oidc?.clientSecret],
    ...[oidc?.authTokenFile, config.jwks_auth_token_file],
  ].filter((name) => name !== undefined)
  if (names.length === 0) return
  throw invalid(
    `the imported configuration asks for your secrets: ${[...new Set(names)].map((name) => excerpt(name)).join(', ')}; confirm that its server may have them with accept_secrets=true (--accept-secrets)`,
  )
}

/** The middleware of an exported configuration follows from its other fields. Anything else would be lost silently. */
function refuseForeignMiddleware(config: RunConfig): void {
  const derived = middlewareConfigs(config).map((middleware) => JSON.stringify(middleware))
  const foreign = (config.middleware_configs ?? []).filter(
    ({ type, parameters }) => !derived.includes(JSON.stringify({ type, parameters })),
  )
  if (foreign.length === 0) return
  throw invalid(
    `middleware_configs of type ${foreign.map(({ type }) => excerpt(type)).join(', ')} is not available yet; remove it`,
  )
}

/** Another person may have written the configuration, and a folder holds code that runs and files that are read. */
function refuseFolder({ folder }: RunConfig): void {
  if (folder === undefined) return
  throw invalid(
    `folder: an imported configuration cannot name a folder of this machine; run it with "thv run --folder ${excerpt(folder.path, 200)}", or set folder when you create the workload`,
  )
}

const TARGET_HOSTS: ReadonlySet<string> = new Set(['127.0.0.1', '::1', 'localhost'])

/** The workload's own loopback: the only address at which only the gateway reaches a server. */
function checkTargetHost({ target_host: host }: RunConfig): void {
  if (host === undefined || TARGET_HOSTS.has(host)) return
  throw invalid(
    isThisMachine(host)
      ? `target_host "${excerpt(host)}" cannot be reached: only the loopback addresses 127.0.0.1 and ::1 of a workload can; let the server listen on one of them`
      : `target_host "${excerpt(host)}" must be 127.0.0.1, ::1 or localhost, a loopback address inside the workload; remove it`,
  )
}

/** A named profile is read once. From then on, its stored copy applies, also in an exported configuration. */
async function withProfile(deps: WorkloadsDeps, config: RunConfig): Promise<RunConfig> {
  const nameOrPath = config.permission_profile_name_or_path
  if (nameOrPath === undefined || config.permission_profile !== undefined) return config
  return { ...config, permission_profile: await readProfile(deps, nameOrPath) }
}

async function checkRemoteAuth(deps: WorkloadsDeps, config: RunConfig, confirmed: Confirmed): Promise<void> {
  const auth = config.remote_auth_config
  if (auth?.clientSecret !== undefined && auth.clientSecretFile !== undefined)
    throw invalid('remote_auth_config: takes clientSecret or clientSecretFile, not both')
  if (auth?.clientSecretFile !== undefined && auth.client_id === undefined)
    throw invalid('remote_auth_config: clientSecretFile needs client_id')
  await checkSecret(deps, auth?.clientSecret)
  if (auth?.allowPrivateIP && confirmed.accept_network !== true)
    throw invalid(
      'remote_auth_config.allowPrivateIP allows private addresses for the login; confirm it with accept_network=true (--accept-network)',
    )
}

/** A configuration always holds the name. If it were taken for a value, the name would be stored as the secret. */
async function checkSecret(deps: WorkloadsDeps, name: string | undefined): Promise<void> {
  if (name !== undefined && !(await deps.secretExists(name))) throw await deps.missingSecrets([name])
}

function requestOf(config: RunConfig): CreateRequest {
  const request: CreateRequest = {
    name: config.name,
    transport: config.transport,
    cmd_arguments: config.cmd_args ?? [],
    env_vars: config.env_vars ?? {},
    volumes: config.volumes ?? [],
    secrets: (config.secrets ?? []).map(parseSecretReference),
    tools: config.tools_filter ?? [],
    labels: config.container_labels ?? {},
    group: config.group ?? '',
  }
  if (config.image !== undefined) request.image = config.image
  if (config.remote_url !== undefined) request.url = config.remote_url
  if (config.host !== undefined) request.host = config.host
  if (config.port !== undefined) request.proxy_port = config.port
  if (config.proxy_mode !== undefined) request.proxy_mode = config.proxy_mode
  if (config.target_port !== undefined) request.target_port = config.target_port
  if (config.permission_profile !== undefined) request.permission_profile = config.permission_profile
  if (config.isolate_network) request.network_isolation = true
  if (config.network_mode !== undefined) request.network_mode = config.network_mode
  if (config.network_isolation_mode) request.network_isolation_mode = config.network_isolation_mode
  if (config.ignore_config !== undefined) request.ignore_config = config.ignore_config
  if (config.telemetry_config !== undefined) request.telemetry_config = config.telemetry_config
  if (config.resources !== undefined) request.resources = config.resources
  if (config.limits !== undefined) request.limits = config.limits
  if (config.image_verification !== undefined) request.image_verification = config.image_verification
  if (config.install_hosts !== undefined) request.install_hosts = config.install_hosts
  if (config.session_mode !== undefined) request.session_mode = config.session_mode
  if (config.authz_config !== undefined) request.authz_config = JSON.stringify(config.authz_config)
  if (config.audit_config !== undefined) request.audit_config = config.audit_config
  if (config.tools_override !== undefined) request.tools_override = config.tools_override
  if (config.tools_changed !== undefined) request.tools_changed = config.tools_changed
  const oidc = oidcOptionsOf(config.oidc_config)
  if (oidc !== undefined) request.oidc = oidc
  const oauth = oauthOptionsOf(config.remote_auth_config)
  if (oauth !== undefined) request.oauth_config = oauth
  const clear = config.remote_auth_config?.headers
  if (clear !== undefined) request.headers = clear
  return request
}
