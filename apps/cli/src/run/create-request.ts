import { parseEnv } from 'node:util'
import type { PermissionProfile } from '@toolhaven/contract/permission-profile'
import type { CreateRequest } from '@toolhaven/contract/workload-request'
import { describeError, invalid } from '@toolhaven/core/errors'
import { authFieldsOf } from './auth-request.ts'
import { folderOf } from './folder-request.ts'
import { type Caller, absoluteVolume } from './host-paths.ts'
import { limitsOf } from './limit-flags.ts'
import { megabytesOf, pairsOf, secretOf } from './pairs.ts'
import { readJsonObject, readText } from './read-json-object.ts'
import type { RunFlags } from './run-flags.ts'
import { serverJsonOf } from './server-json-request.ts'
import { telemetryOf } from './telemetry-request.ts'

export interface RunCaller extends Caller {
  env: Readonly<Record<string, string | undefined>>
}

/** The request for the options of `thv run`. The daemon checks it; only what the daemon cannot see is resolved here. */
export async function createRequestOf(
  caller: RunCaller,
  words: readonly string[],
  flags: RunFlags,
): Promise<CreateRequest> {
  const [server = '', ...args] = words
  const file = await serverJsonOf(caller, server, flags)
  const own = file ? undefined : folderOf(caller, words, flags)
  const { name, group, transport, proxyMode, proxyPort, targetPort, host, memory, cpus, pids } = flags
  const variables = { ...(await fileVariables(caller, flags.envFile)), ...ownVariables(caller, flags.env) }
  const resources = { memory_mb: memory === undefined ? undefined : megabytesOf(memory), cpus, pids }
  const request = {
    ...(file ? { server_json: file } : own ? { folder: own.folder } : nameOf(server)),
    ...{ name, group, host, transport, proxy_mode: proxyMode, proxy_port: proxyPort, target_port: targetPort },
    cmd_arguments: own?.args ?? args,
    env_vars: variables,
    volumes: flags.volume.map((volume) => absoluteVolume(caller, volume)),
    ignore_config: withoutUnset(ignoreOf(flags)),
    secrets: flags.secret.map(secretOf),
    tools: flags.tools.flatMap((names) => names.split(',')).map((tool) => tool.trim()),
    permission_profile:
      flags.permissionProfile === undefined ? undefined : await profileOf(caller, flags.permissionProfile),
    network_mode: flags.network,
    allow_hosts: flags.allowHost.map(refuseAddress),
    network_isolation: flags.isolateNetwork || undefined,
    network_isolation_mode: flags.observeNetwork ? 'observe' : undefined,
    session_mode: flags.sessionMode,
    image_verification: flags.imageVerification,
    install_hosts: flags.installHost,
    accept_network: flags.acceptNetwork || undefined,
    accept_mounts: flags.acceptMounts || undefined,
    limits: withoutUnset(limitsOf(flags)),
    tools_changed: flags.toolsChanged,
    tools_override: await objectOf(caller, '--tools-override', flags.toolsOverride),
    authz_config: await policiesOf(caller, flags.authzConfig),
    audit_config: await auditOf(caller, flags),
    labels: pairsOf('--label', flags.label),
    headers: pairsOf('--header', flags.header),
    headers_from_secrets: pairsOf('--header-secret', flags.headerSecret),
    ...authFieldsOf(flags),
    telemetry_config: withoutUnset(telemetryOf(flags)),
    resources: withoutUnset(resources),
  }
  return withoutUnset(request)
}

const nameOf = (server: string) => (/^https?:\/\//i.test(server) ? { url: server } : { image: server })

/** People copy the URL of a service from a browser, where a host is expected. */
function refuseAddress(host: string): string {
  const url = host.includes('://') ? URL.parse(host) : null
  if (url === null) return host
  throw invalid(`--allow-host takes a host, not the address ${host}\nWrite --allow-host ${url.host}`)
}

/** Leaves out fields that no flag sets, so that the daemon or the registry entry decides. */
function withoutUnset(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const isSet = (value: unknown) =>
    value !== undefined && (typeof value !== 'object' || value === null || Object.keys(value).length > 0)
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => isSet(value)))
}

async function fileVariables({ cwd }: RunCaller, files: readonly string[]): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const file of files) {
    const text = await readText(cwd, '--env-file', file)
    const wrong = lineWithoutValue(text)
    if (wrong !== undefined) throw invalid(`--env-file ${file}, line ${wrong}: must have the form KEY=VALUE`)
    for (const [name, value] of Object.entries(parseEnv(text))) found[name] = value ?? ''
  }
  return found
}

/** The number of the first line that the parser would skip silently. Quoted values may have several lines. */
function lineWithoutValue(text: string): number | undefined {
  const quoted = /^([ \t]*(?:export[ \t]+)?[\w.-]+[ \t]*=)[ \t]*(["'`])[^]*?\2/gm
  const whole = text.replaceAll(quoted, (value, start: string) => `${start}${value.replaceAll(/[^\n]/g, '')}`)
  const at = whole.split('\n').findIndex((line) => !/^\s*(?:#|$)/.test(line) && !line.includes('='))
  return at < 0 ? undefined : at + 1
}

/** `KEY` alone passes on the caller's variable, so that its value does not appear on the command line. */
function ownVariables({ env }: RunCaller, options: readonly string[]): Record<string, string> {
  const pairs = options.map((option) => {
    if (option.includes('=')) return option
    const value = env[option]
    if (value === undefined)
      throw invalid(
        `--env ${option}: ${option} is not set in your environment. Set it, or write --env ${option}=VALUE.`,
      )
    return `${option}=${value}`
  })
  return pairsOf('--env', pairs)
}

function ignoreOf({ ignoreGlobally, printOverlays }: RunFlags): Record<string, boolean | undefined> {
  const loadGlobal = ignoreGlobally === undefined ? undefined : ignoreGlobally === 'true'
  return { loadGlobal, printOverlays: printOverlays || undefined }
}

async function profileOf({ cwd }: RunCaller, profile: string): Promise<PermissionProfile> {
  if (profile === 'none' || profile === 'network') return { name: profile }
  try {
    return await readJsonObject(cwd, '--permission-profile', profile)
  } catch (error) {
    throw invalid(`${describeError(error)}\nUse "none", "network" or the path of a JSON file with a profile.`, error)
  }
}

async function objectOf({ cwd }: RunCaller, flag: string, file: string | undefined): Promise<object | undefined> {
  return file === undefined ? undefined : readJsonObject(cwd, flag, file)
}

/** The daemon accepts text, which can also be the name of a file on its own machine. */
async function policiesOf(caller: RunCaller, file: string | undefined): Promise<string | undefined> {
  const config = await objectOf(caller, '--authz-config', file)
  return config && JSON.stringify(config)
}

async function auditOf(caller: RunCaller, { auditConfig, enableAudit }: RunFlags): Promise<object | undefined> {
  if (auditConfig !== undefined && enableAudit)
    throw invalid('--audit-config and --enable-audit cannot be used together')
  // An empty object would mean "no audit".
  return enableAudit ? { include_request_data: false } : objectOf(caller, '--audit-config', auditConfig)
}
