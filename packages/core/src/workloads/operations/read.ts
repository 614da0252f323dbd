import type { Workload, WorkloadDetails } from '@toolhaven/contract/workloads'
import type { RunConfig } from '@toolhaven/contract/run-config'
import { notFound } from '../../errors.ts'
import type { LogLine, LogQuery, StoredWorkload } from '../../ports/stores.ts'
import type { Entry } from '../running/book.ts'
import { parseSecretReference } from '../running/instance-spec.ts'
import { oauthOptionsOf } from '../config/oauth.ts'
import { oidcOptionsOf } from '../config/oidc.ts'
import { parsePackageReference } from '../config/package-reference.ts'
import { revisionOf } from '../config/revision.ts'
import { middlewareConfigs } from '../config/middleware-configs.ts'
import { deriveStatus } from '../running/status.ts'
import { withoutEmpty } from '../config/without-empty.ts'
import type { WorkloadsDeps } from '../workloads-deps.ts'

type Deps = Pick<WorkloadsDeps, 'book' | 'groupExists' | 'logs' | 'masker'>

/**
 * The workloads that are wanted running; with `all`, every one. As cached JSON texts, because clients read lists often and lists
 * change rarely.
 */
export function listWorkloads(deps: Deps, query: { all?: boolean | undefined; group?: string | undefined }): string[] {
  if (query.group !== undefined && !deps.groupExists(query.group)) throw notFound(`group ${query.group} not found`)
  return deps.book
    .all()
    .filter(({ stored }) => query.all || stored.wanted === 'running')
    .filter(({ stored }) => query.group === undefined || stored.config.group === query.group)
    .map((entry) => recordJson(deps, entry))
}

/** Built again only when something in it has changed. */
function recordJson(deps: Deps, entry: Entry): string {
  const { stored, observed, shown } = entry
  const { status, context } = deriveStatus(stored, observed)
  const masked = context === '' ? '' : deps.masker.mask(context)
  if (shown?.stored === stored && shown.status === status && shown.context === masked) return shown.json
  const json = JSON.stringify(toRecord(deps, entry))
  entry.shown = { stored, status, context: masked, json }
  return json
}

/** The record and the configuration in force, in one object. */
export function getWorkload(deps: Deps, name: string): WorkloadDetails {
  const entry = deps.book.get(name)
  const { stored } = entry
  const { config } = stored
  const secrets = (config.secrets ?? []).map(parseSecretReference)
  return {
    ...withoutEmpty({
      image: config.image,
      url: config.remote_url,
      folder: config.folder,
      host: config.host,
      transport: config.transport,
      proxy_mode: config.proxy_mode,
      target_port: config.target_port,
      cmd_arguments: config.cmd_args,
      env_vars: config.env_vars,
      volumes: config.volumes,
      network_isolation_mode: config.network_isolation_mode,
      permission_profile: config.permission_profile,
      headers: config.remote_auth_config?.headers,
      headers_from_secrets: config.remote_auth_config?.headers_from_secrets,
      oauth_config: oauthOptionsOf(config.remote_auth_config),
      oidc: oidcOptionsOf(config.oidc_config),
      authz_config: config.authz_config && JSON.stringify(config.authz_config),
      audit_config: config.audit_config,
      tools_override: config.tools_override,
      tools_changed: config.tools_changed,
      telemetry_config: config.telemetry_config,
      resources: config.resources,
      limits: config.limits,
      session_mode: config.session_mode ?? stored.asked.session_mode,
      image_verification: config.image_verification,
      install_hosts: config.install_hosts,
      proxy_port: stored.asked.proxy_port,
      secrets,
    }),
    network_isolation: config.isolate_network ?? false,
    ...startedImageOf(stored),
    ...toRecord(deps, entry),
  }
}

/** The image that runs, wherever its tag points later. A package has its version in `package`. */
function startedImageOf({ config, resolved }: StoredWorkload): Pick<WorkloadDetails, 'started_image'> {
  if (!resolved || config.image === undefined || parsePackageReference(config.image)) return {}
  const { digest, verification } = resolved
  return {
    started_image: {
      ...(digest !== undefined && { digest }),
      ...(verification && { verification: verification.outcome, detail: verification.detail }),
    },
  }
}

export function workloadStatusOf(deps: Deps, name: string) {
  return { status: deps.book.status(name).status }
}

/** The maximum number of lines in one answer. */
export const MAX_LOG_LINES = 100

export async function workloadLogs(deps: Deps, name: string): Promise<string> {
  deps.book.get(name)
  const lines = await deps.logs.tail(name, MAX_LOG_LINES)
  return lines.map((line) => `${deps.masker.mask(line)}\n`).join('')
}

/** Lines with times and streams, as far back as requested. */
export async function readWorkloadLogs(deps: Deps, name: string, query: LogQuery): Promise<{ lines: LogLine[] }> {
  deps.book.get(name)
  const lines = await deps.logs.read(name, query)
  return { lines: lines.map((line) => ({ ...line, text: deps.masker.mask(line.text) })) }
}

/** The run configuration, complete enough to run it on another machine. Secrets are included by name only. */
export function exportWorkload(deps: Deps, name: string): RunConfig {
  const { stored } = deps.book.get(name)
  return { ...stored.config, middleware_configs: middlewareConfigs(stored.config) }
}

/** The original request. Posting it again creates the same workload. */
export async function getWorkloadRequest(deps: Deps, name: string) {
  const { stored } = deps.book.get(name)
  const { asked, config } = stored
  const hidden = Object.keys(config.remote_auth_config?.headers_from_secrets ?? {})
  return { request: asked, hidden_headers: hidden, revision: await revisionOf(stored) }
}

function toRecord(deps: Deps, { stored, observed }: Entry): Workload {
  const { config } = stored
  const { status, context } = deriveStatus(stored, observed)
  return {
    name: config.name,
    group: config.group ?? 'default',
    status,
    status_context: deps.masker.mask(context),
    port: stored.port,
    url: clientUrl(stored),
    package: stored.package,
    tool_type: 'mcp',
    transport_type: config.transport,
    proxy_mode: config.proxy_mode ?? 'streamable-http',
    remote: config.remote_url !== undefined,
    tools: config.tools_filter ?? [],
    labels: config.container_labels ?? {},
    ...(config.remote_url === undefined && { network_mode: config.network_mode ?? 'isolated' }),
    created_at: stored.createdAt,
  }
}

/** The address that clients connect to. It is always the gateway's, also for a remote server. */
export function clientUrl({ config, port }: Pick<StoredWorkload, 'config' | 'port'>): string {
  const host = reachableHost(config.host ?? '')
  return `http://${host}:${port}${config.proxy_mode === 'sse' ? '/sse' : '/mcp'}`
}

/** A workload that listens on all addresses is reachable at each of them. */
function reachableHost(host: string): string {
  if (host === '' || host === 'localhost' || host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}
