import { type PermissionProfile, outboundPolicy } from '@toolhaven/contract/permission-profile'
import type { WorkloadDetails } from '@toolhaven/contract/workloads'

/** Describes in sentences what a workload may reach and read, and who may call it. */
export function permissionSentences(details: WorkloadDetails): string[] {
  const profile = details.permission_profile ?? {}
  return [
    ...(details.remote ? ['It is a remote server: nothing of it runs on this machine.'] : ofLocal(details, profile)),
    ...(details.secrets ?? []).map(({ name, target }) => `It gets the secret ${name} as ${target}.`),
    ...calls(details),
  ]
}

function ofLocal(details: WorkloadDetails, profile: PermissionProfile): string[] {
  const { folder, volumes = [], install_hosts: installHosts = [] } = details
  const own = folder ? [folder.path] : []
  const mounted = (mounts: readonly string[]) => mounts.map(hostPath)
  const readable = [...(folder?.write ? [] : own), ...mounted([...(profile.read ?? []), ...volumes.filter(isReadOnly)])]
  const writable = [
    ...(folder?.write ? own : []),
    ...mounted([...(profile.write ?? []), ...volumes.filter((volume) => !isReadOnly(volume))]),
  ]
  const noFiles = readable.length + writable.length === 0
  return [
    network(details, profile),
    ...(readable.length > 0 ? [`It can read ${readable.join(', ')}.`] : []),
    ...(writable.length > 0 ? [`It can read and change ${writable.join(', ')}.`] : []),
    ...(noFiles ? ['It sees no files of this machine.'] : []),
    ...(installHosts.length > 0 ? [`While it is installed, it can also reach ${installHosts.join(', ')}.`] : []),
  ]
}

function network({ network_mode: mode, network_isolation_mode: watch }: WorkloadDetails, profile: PermissionProfile) {
  if (mode === 'host') return 'It shares the network of this machine, with every service on it.'
  if (watch === 'observe') return 'It can reach every public host, and what it reaches is recorded ("thv learn").'
  const { allow_host: hosts = [], allow_port: ports = [80, 443] } = profile.network?.outbound ?? {}
  const policy = outboundPolicy(profile)
  if (policy === 'nothing') return 'It reaches nothing on any network.'
  if (policy === 'everything') {
    const named = hosts.filter(hasPort)
    return `It can reach every public host${named.length > 0 ? `, and ${named.join(', ')}` : ''}.`
  }
  if (hosts.length === 0) return `It can reach every public host at port ${ports.join(', ')}.`
  const list = hosts.map((host) => (hasPort(host) ? host : `${host} (port ${ports.join(', ')})`))
  return `It can reach ${list.join(', ')}, and nothing else.`
}

function calls({ tools, oidc, authz_config: policies }: WorkloadDetails): string[] {
  const issuer = oidc?.issuer ?? oidc?.jwks_url
  return [
    ...(tools.length > 0 ? [`Clients see only these tools: ${tools.join(', ')}.`] : []),
    issuer === undefined
      ? 'Every program of this machine can call it.'
      : `Only callers with a token from ${issuer} can call it.`,
    ...(policies === undefined ? [] : ['Cedar policies decide which calls are allowed.']),
  ]
}

const hasPort = (host: string) => /(?:^[^:]+|\]):\d+$/.test(host)
const isReadOnly = (volume: string) => volume.endsWith(':ro')
const hostPath = (mount: string) => mount.split(':', 1)[0] ?? mount
