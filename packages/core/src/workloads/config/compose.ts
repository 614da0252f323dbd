import { BUILT_IN_PROFILES, type PermissionProfile } from '@toolhaven/contract/permission-profile'
import type { ImageServer, RemoteServer } from '@toolhaven/contract/registry-document'
import { type ProxyMode, type RunConfig, SCHEMA_VERSION, type TransportType } from '@toolhaven/contract/run-config'
import type { CreateRequest } from '@toolhaven/contract/workload-request'
import { DEFAULT_GROUP } from '@toolhaven/contract/names'
import { invalid } from '../../errors.ts'
import { isReservedLabel } from '../../ports/runtime.ts'
import type { StoredWorkload } from '../../ports/stores.ts'
import { type Problems, REFUSE } from './problems.ts'
import { authorizationConfigOf } from './authorization.ts'
import { checkInstallHosts } from './check-hosts.ts'
import { chooseNetworkMode } from './network.ts'
import { oauthConfigOf } from './oauth.ts'
import { oidcConfigOf } from './oidc.ts'
import { parsePackageReference } from './package-reference.ts'
import { checkVerifiable } from './provenance.ts'
import { withoutEmpty } from './without-empty.ts'
import type { Target } from '../operations/target.ts'

export interface Composition {
  config: RunConfig
  profileOrigin: StoredWorkload['profileOrigin']
}

/**
 * Combines the request with the registry entry, which fills what the request omits, into the configuration in force. A pure
 * function.
 */
export function composeRunConfig(
  name: string,
  port: number,
  asked: CreateRequest,
  target: Target,
  problems: Problems = REFUSE,
): Composition {
  const isRemote = target.kind === 'remote'
  refuseMisplaced(asked, target, problems)
  const defaultTransport = target.entry?.transport ?? (isRemote ? 'streamable-http' : 'stdio')
  const transport = problems.check(
    'transport',
    () => chooseTransport(asked.transport || undefined, target),
    defaultTransport,
  )
  const { profile: chosen, profileOrigin } = problems.check(
    'permission_profile',
    () => chooseProfile(asked.permission_profile, target.entry),
    chooseProfile(undefined, target.entry),
  )
  const profile = withHosts(chosen, asked.allow_hosts)
  const imageEntry = target.kind === 'image' ? target.entry : undefined
  const targetPort = problems.check('target_port', () => chooseTargetPort(asked, target, transport), undefined)
  const oidc = problems.check('oidc', () => oidcConfigOf(asked.oidc), undefined)
  const oauth = problems.check('oauth_config', () => oauthConfigOf(asked.oauth_config, target), {})
  const networkMode = isRemote
    ? undefined
    : problems.check('network_mode', () => chooseNetworkMode(asked, profile), 'isolated')
  const authorization = authorizationConfigOf(asked.authz_config)
  const config: RunConfig = {
    schema_version: SCHEMA_VERSION,
    name,
    transport,
    ...sourceOf(target),
    ...(target.entry?.name && { base_name: target.entry.name }),
    host: asked.host || '127.0.0.1',
    port,
    proxy_mode: chooseProxyMode(asked.proxy_mode || undefined, transport),
    ...(targetPort && { target_port: targetPort }),
    cmd_args: asked.cmd_arguments?.length ? asked.cmd_arguments : (imageEntry?.args ?? []),
    env_vars: { ...entryDefaults(target.entry), ...asked.env_vars },
    secrets: (asked.secrets ?? []).map(({ name: key, target: variable }) => `${key},target=${variable}`),
    volumes: asked.volumes ?? [],
    group: asked.group || DEFAULT_GROUP,
    tools_filter: asked.tools ?? [],
    container_labels: asked.labels ?? {},
    ...(!isRemote && { container_name: `thv-${name}`, permission_profile: profile }),
    ...(!isRemote && { network_mode: networkMode }),
    ...(!isRemote && asked.network_isolation && { isolate_network: true }),
    ...(asked.network_isolation_mode === 'observe' && { network_isolation_mode: 'observe' }),
    ...(!isRemote && asked.ignore_config && { ignore_config: asked.ignore_config }),
    remote_auth_config: { ...oauth, ...headersOf(asked, target) },
    ...(oidc && { oidc_config: oidc }),
    ...(authorization && { authz_config: authorization }),
    ...asAsked(asked),
  }
  return { config: { ...withoutEmpty(config), name, transport, schema_version: SCHEMA_VERSION }, profileOrigin }
}

function sourceOf(target: Target): Pick<RunConfig, 'image' | 'remote_url' | 'folder'> {
  if (target.kind === 'folder') return { folder: target.folder }
  return target.kind === 'image' ? { image: target.image } : { remote_url: target.url }
}

function headersOf(
  { headers: asked, headers_from_secrets: fromSecrets }: CreateRequest,
  target: Target,
): RunConfig['remote_auth_config'] {
  const given = new Set(Object.keys({ ...asked, ...fromSecrets }).map((name) => name.toLowerCase()))
  const listed = target.kind === 'remote' ? (target.entry?.headers ?? []) : []
  const presets = listed.flatMap(({ name, default: value }) =>
    value === undefined || given.has(name.toLowerCase()) ? [] : [[name, value] as const],
  )
  const headers = { ...Object.fromEntries(presets), ...asked }
  return {
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(fromSecrets && { headers_from_secrets: fromSecrets }),
  }
}

/** Fields that are copied unless they have the default value. */
function asAsked(asked: CreateRequest): Partial<RunConfig> {
  return {
    ...(asked.audit_config && { audit_config: asked.audit_config }),
    ...(asked.tools_override && { tools_override: asked.tools_override }),
    ...(asked.tools_changed === 'block' && { tools_changed: 'block' }),
    ...(asked.telemetry_config && { telemetry_config: asked.telemetry_config }),
    ...(asked.resources && { resources: asked.resources }),
    ...(asked.limits && { limits: asked.limits }),
    ...(asked.install_hosts?.length && { install_hosts: asked.install_hosts }),
    ...(asked.session_mode && asked.session_mode !== 'auto' && { session_mode: asked.session_mode }),
    ...verificationOf(asked),
  }
}

function chooseTargetPort(asked: CreateRequest, target: Target, transport: TransportType): number | undefined {
  if (transport === 'stdio' || target.kind === 'remote') return undefined
  const port = asked.target_port || target.entry?.target_port
  if (!port) throw invalid(`target_port is missing: set it to the port that the ${transport} server listens on`)
  return port
}

/** Refuses fields that do not fit a target of this kind. */
function refuseMisplaced(asked: CreateRequest, target: Target, problems: Problems): void {
  const isRemote = target.kind === 'remote'
  const refuse = (field: string, isMisplaced: boolean, why: string) => {
    const check = () => {
      if (isMisplaced) throw invalid(why)
    }
    problems.check(field, check, undefined)
  }
  for (const field of ['headers', 'headers_from_secrets'] as const)
    refuse(field, asked[field] !== undefined && !isRemote, `${field} are only for remote servers; remove them`)
  problems.check('headers_from_secrets', () => refuseTwiceGiven(asked), undefined)
  refuse(
    'network_isolation_mode',
    asked.network_isolation_mode === 'observe' && isRemote,
    'network_isolation_mode observe is only for servers that run here; remove it',
  )
  refuse(
    'network_mode',
    isRemote && (asked.network_mode === 'host' || Boolean(asked.allow_hosts?.length)),
    'network_mode host and allow_hosts are only for servers that run here; remove them',
  )
  if (asked.image_verification === 'enabled')
    problems.check('image_verification', () => checkVerifiable(target), undefined)
  problems.check('labels', () => refuseReservedLabels(asked), undefined)
  problems.check('install_hosts', () => refuseInstallHosts(asked, target), undefined)
}

function refuseTwiceGiven({ headers = {}, headers_from_secrets: hidden = {} }: CreateRequest): void {
  const given = new Set<string>()
  for (const header of [...Object.keys(headers), ...Object.keys(hidden)]) {
    if (given.has(header.toLowerCase())) throw invalid(`headers: ${header} is set more than once; set it once`)
    given.add(header.toLowerCase())
  }
}

function refuseReservedLabels({ labels }: CreateRequest): void {
  const reserved = Object.keys(labels ?? {}).find(isReservedLabel)
  if (reserved !== undefined) throw invalid(`labels.${reserved} is set by Toolhaven itself; choose another key`)
}

function refuseInstallHosts({ install_hosts: hosts = [] }: CreateRequest, target: Target): void {
  const isPackage = target.kind === 'folder' || (target.kind === 'image' && parsePackageReference(target.image))
  if (hosts.length > 0 && !isPackage)
    throw invalid('install_hosts is only for packages (npx://, uvx://, go://) and folders; remove it')
  checkInstallHosts(hosts)
}

function verificationOf({ image_verification: mode }: CreateRequest): Pick<RunConfig, 'image_verification'> {
  return mode === 'enabled' || mode === 'disabled' ? { image_verification: mode } : {}
}

function chooseTransport(asked: TransportType | undefined, target: Target): TransportType {
  if (asked === 'inspector')
    throw invalid('transport "inspector" is only for the Inspector itself; use stdio, sse or streamable-http')
  if (target.kind === 'remote') {
    if (asked === 'stdio') throw invalid('transport must be sse or streamable-http for a remote server')
    return asked ?? target.entry?.transport ?? 'streamable-http'
  }
  return asked ?? target.entry?.transport ?? 'stdio'
}

/** A native sse or streamable-http server has the path of its transport. */
function chooseProxyMode(asked: ProxyMode | undefined, transport: TransportType): ProxyMode {
  if (transport === 'sse' || transport === 'streamable-http') return transport
  return asked ?? 'streamable-http'
}

function chooseProfile(asked: PermissionProfile | undefined, entry: ImageServer | RemoteServer | undefined) {
  if (asked && Object.keys(asked).length > 0) return { profile: builtInOr(asked), profileOrigin: 'request' } as const
  if (entry?.permissions) return { profile: entry.permissions, profileOrigin: 'registry' } as const
  return { profile: BUILT_IN_PROFILES.network, profileOrigin: 'default' } as const
}

/** `{name: "none"}` or `{name: "network"}` alone picks the built-in one. */
function builtInOr(profile: PermissionProfile): PermissionProfile {
  const isNameAlone = Object.keys(profile).length === 1 && profile.name !== undefined
  if (!isNameAlone) return profile
  const builtIn = Object.values(BUILT_IN_PROFILES).find(({ name }) => name === profile.name)
  if (!builtIn)
    throw invalid(
      `permission_profile: there is no built-in profile "${profile.name}"; use "none" or "network", or list what it allows`,
    )
  return builtIn
}

/** The profile keeps its name only while its content still matches the name. */
function withHosts(profile: PermissionProfile, hosts: readonly string[] = []): PermissionProfile {
  if (hosts.length === 0) return profile
  const { name: _name, ...rest } = profile
  const outbound = profile.network?.outbound ?? {}
  const allowHost = [...new Set([...(outbound.allow_host ?? []), ...hosts])]
  return { ...rest, network: { outbound: { ...outbound, allow_host: allowHost } } }
}

export function entryDefaults(entry: ImageServer | RemoteServer | undefined): Record<string, string> {
  const pairs = (entry?.env_vars ?? []).flatMap(({ name, default: value }) =>
    value === undefined ? [] : [[name, value] as const],
  )
  return Object.fromEntries(pairs)
}
