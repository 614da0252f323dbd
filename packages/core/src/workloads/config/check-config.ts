import type { ImageServer, RemoteServer } from '@toolhaven/contract/registry-document'
import type { RunConfig } from '@toolhaven/contract/run-config'
import { invalid, notFound } from '../../errors.ts'
import { parseUrl } from '../../net/parse-url.ts'
import type { StoredWorkload } from '../../ports/stores.ts'
import { type Problems, REFUSE } from './problems.ts'
import { checkAudit } from './audit.ts'
import { checkFolder } from './check-folder.ts'
import { checkHosts } from './check-hosts.ts'
import { checkPorts } from './check-ports.ts'
import { withResolvedMounts } from './check-mounts.ts'
import { checkResources } from './check-resources.ts'
import { checkSizes } from './check-sizes.ts'
import { parseSecretReference } from '../running/instance-spec.ts'
import { checkOauth, oauthOptionsOf } from './oauth.ts'
import { checkOidc, oidcOptionsOf } from './oidc.ts'
import { checkHeaders } from './own-headers.ts'
import { checkSessionMode } from './session-mode.ts'
import { checkToolsOverride } from './tools-override.ts'
import { checkTelemetry } from './telemetry.ts'
import type { WorkloadsDeps } from '../workloads-deps.ts'

type Deps = Pick<WorkloadsDeps, 'groupExists' | 'secretExists' | 'missingSecrets' | 'host' | 'config' | 'runtime'>

/** Makes every check that is possible before anything is stored. Returns the configuration with host paths resolved. */
export async function checkConfig(
  deps: Deps,
  config: RunConfig,
  entry: ImageServer | RemoteServer | undefined,
  { before, problems = REFUSE }: { before?: StoredWorkload; problems?: Problems } = {},
): Promise<RunConfig> {
  const oidc = oidcOptionsOf(config.oidc_config)
  const oauth = oauthOptionsOf(config.remote_auth_config)
  const profileBefore = before?.config.permission_profile
  const checks: readonly (readonly [field: string, check: () => void | Promise<void>])[] = [
    ['group', () => checkGroup(deps, config)],
    ['oidc', () => oidc && checkOidc(oidc)],
    ['oauth_config', () => oauth && checkOauth(oauth)],
    ['host', () => checkBindAddress(deps, config.host || '127.0.0.1', oidc !== undefined)],
    ['url', () => refuseOwnAddress(config)],
    ['telemetry_config', () => config.telemetry_config && checkTelemetry(config.telemetry_config)],
    ['session_mode', () => checkSessionMode(config)],
    ['permission_profile', () => checkHosts(config.permission_profile, profileBefore)],
    ['permission_profile', () => (config.network_mode === 'host' ? undefined : checkPorts(config, before?.config))],
    ['tools', () => checkTools(config, entry)],
    ['tools_override', () => checkToolsOverride(config, entry)],
    ['audit_config', () => checkAudit(deps, config)],
    ['env_vars', () => checkRequiredVariables(config, entry)],
    ['env_vars', () => checkChoices(config, entry)],
    ['headers', () => checkHeaders(config)],
    ['headers', () => checkRequiredHeaders(config, entry)],
    ['secrets', () => checkSecrets(deps, config)],
    ['cmd_arguments', () => checkNeededArguments(config, entry)],
    ['cmd_arguments', () => checkSizes(config.cmd_args ?? [], config.env_vars ?? {})],
    ['resources', () => checkResources(deps, config)],
    ['folder', () => checkFolder(deps, config)],
  ]
  for (const [field, check] of checks) await problems.wait(field, async () => check(), undefined)
  return problems.wait('volumes', () => withResolvedMounts(deps, config, before), config)
}

function checkGroup({ groupExists }: Deps, { group = 'default' }: RunConfig): void {
  if (!groupExists(group)) throw notFound(`group ${group} not found; create it first`)
}

/** A workload that other machines can reach must authenticate its callers. */
export function checkBindAddress(deps: Pick<Deps, 'config'>, host: string, isProtected: boolean): void {
  const isLoopback = host === '127.0.0.1' || host === '::1' || host === 'localhost'
  if (isLoopback) return
  const isAllowed = deps.config().allowedHosts.includes(host)
  if (isAllowed && isProtected) return
  throw invalid(
    isAllowed
      ? `host "${host}" needs oidc to protect the workload; add it, or use 127.0.0.1`
      : `host "${host}" is not a loopback address; use 127.0.0.1`,
  )
}

/** A workload that calls itself would loop for ever. */
function refuseOwnAddress({ name, host = '127.0.0.1', port, remote_url: text }: RunConfig): void {
  const url = text === undefined ? undefined : parseUrl(text)
  if (!url || Number(url.port || (url.protocol === 'https:' ? 443 : 80)) !== port) return
  const target = url.hostname.replaceAll(/^\[|\]$/g, '').replace(/\.$/, '')
  if (!isThisMachine(target) && target !== host) return
  throw invalid(
    `url leads to port ${port} of this machine, which belongs to ${name} itself; use the server's own address`,
  )
}

/** Judged by the text. The parser has written IPv4 as four decimal numbers and IPv6 in its short form. */
export function isThisMachine(host: string): boolean {
  return /^(?:(?:.+\.)?localhost|127\..*|::1|::ffff:7f.*)$/.test(host)
}

function checkTools(config: RunConfig, entry: ImageServer | RemoteServer | undefined): void {
  if (!entry || entry.tools.length === 0) return
  const unknown = (config.tools_filter ?? []).filter((tool) => !entry.tools.includes(tool))
  if (unknown.length > 0)
    throw invalid(`tools: ${entry.name} has no tool ${unknown.join(', ')}; it has ${entry.tools.join(', ')}`)
}

function checkRequiredVariables(config: RunConfig, entry: ImageServer | RemoteServer | undefined): void {
  const given = new Set(Object.keys(config.env_vars ?? {}))
  for (const reference of config.secrets ?? []) given.add(parseSecretReference(reference).target)
  const missing = (entry?.env_vars ?? []).filter(({ name, required }) => required && !given.has(name))
  if (missing.length === 0) return
  const list = missing.map(({ name, secret }) => (secret ? `${name} (a secret)` : name)).join(', ')
  throw invalid(`${entry?.name} needs ${list}: set each in env_vars, or as the target of a secret`)
}

function checkChoices({ env_vars: given = {} }: RunConfig, entry: ImageServer | RemoteServer | undefined): void {
  for (const { name, choices } of entry?.env_vars ?? []) {
    if (!choices || !Object.hasOwn(given, name) || choices.includes(given[name] ?? '')) continue
    throw invalid(`env_vars.${name}: must be one of ${choices.join(', ')}, as ${entry?.name} requires`)
  }
}

/** The entry knows the shape of the command line, but not all of its values. */
function checkNeededArguments(config: RunConfig, entry: ImageServer | RemoteServer | undefined): void {
  if (!entry || 'url' in entry || !entry.args_needed?.length || config.cmd_args?.length) return
  throw invalid(`${entry.name} needs arguments: ${entry.args_needed.join(' ')}; set them in cmd_arguments`)
}

/** A login replaces the key that a header would carry. */
function checkRequiredHeaders(config: RunConfig, entry: ImageServer | RemoteServer | undefined): void {
  if (!entry || !('headers' in entry) || oauthOptionsOf(config.remote_auth_config)) return
  const { headers = {}, headers_from_secrets: hidden = {} } = config.remote_auth_config ?? {}
  const given = new Set(Object.keys({ ...headers, ...hidden }).map((name) => name.toLowerCase()))
  const missing = (entry.headers ?? []).filter(({ name, required }) => required && !given.has(name.toLowerCase()))
  if (missing.length === 0) return
  const list = missing.map(({ name, description }) => `${name} (${description})`).join(', ')
  throw invalid(`${entry.name} needs the header ${list}: set it in headers`)
}

async function checkSecrets(deps: Deps, config: RunConfig): Promise<void> {
  const references = (config.secrets ?? []).map(parseSecretReference)
  const targets = references.map(({ target }) => target)
  const twice = targets.find((target, at) => targets.indexOf(target) !== at)
  if (twice !== undefined)
    throw invalid(`secrets: ${twice} is the target of more than one secret; name each target once`)
  const needed = references.map(({ name }) => name)
  const missing: string[] = []
  for (const name of [...needed, ...Object.values(config.remote_auth_config?.headers_from_secrets ?? {})]) {
    if (!(await deps.secretExists(name))) missing.push(name)
  }
  if (missing.length > 0) throw await deps.missingSecrets(missing)
}
