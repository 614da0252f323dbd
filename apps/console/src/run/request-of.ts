import type { PermissionProfile } from '@toolhaven/contract/permission-profile'
import type { CreateRequest, UpdateRequest } from '@toolhaven/contract/workload-request'
import { type Basis, linesOf, type NamedValue, type RunForm } from './run-form.ts'
import { secretNameFor } from './secret-names.ts'

/** Fields of the request that the form fills in, besides the name and what runs. */
export const FORM_FIELDS = [
  ...(['group', 'env_vars', 'secrets', 'headers', 'headers_from_secrets', 'cmd_arguments', 'volumes'] as const),
  ...(['permission_profile', 'allow_hosts', 'network_mode', 'tools', 'resources', 'limits', 'accept_mounts'] as const),
] satisfies readonly (keyof CreateRequest)[]

export function requestOf(form: RunForm, basis: Basis): CreateRequest {
  const [args, volumes, tools] = [form.args, form.volumes, form.tools].map(linesOf)
  return {
    ...(form.source === 'remote' ? { url: form.url.trim() } : { image: form.image.trim() }),
    ...(form.name.trim() !== '' && { name: form.name.trim() }),
    group: form.group,
    env_vars: plainOf(form.variables),
    secrets: secretsOf(form.variables).map((each) => ({ name: secretNameFor(form, each), target: each.name })),
    // Without any, those of the registry entry apply.
    ...(args?.length && { cmd_arguments: args }),
    ...(tools?.length && { tools }),
    ...(basis.isRemote ? headersOf(form) : { ...(volumes?.length && { volumes }), ...networkOf(form, basis) }),
    ...limitsOf(form),
    ...(form.acceptMounts && { accept_mounts: true }),
  }
}

/** The same for a server that is there already: what an edit would keep if it were left out is cleared. */
export function editOf({ name: _, ...change }: CreateRequest): UpdateRequest {
  return { ...Object.fromEntries(FORM_FIELDS.map((field) => [field, null])), ...change }
}

/** A variable that was entered by its name may be empty. */
function plainOf(values: readonly NamedValue[]): Record<string, string> {
  const given = values.filter(
    ({ name, value, isSecret, description }) =>
      !isSecret && name.trim() !== '' && (value !== '' || description === undefined),
  )
  return Object.fromEntries(given.map(({ name, value }) => [name.trim(), value]))
}

function secretsOf(values: readonly NamedValue[]): NamedValue[] {
  return values.filter(({ isSecret, stored, value }) => isSecret && (stored !== undefined || value !== ''))
}

function headersOf(form: RunForm): Pick<CreateRequest, 'headers' | 'headers_from_secrets'> {
  const plain = plainOf(form.headers)
  const secrets = secretsOf(form.headers).map((each) => [each.name.trim(), secretNameFor(form, each)] as const)
  return {
    ...(Object.keys(plain).length > 0 && { headers: plain }),
    ...(secrets.length > 0 && { headers_from_secrets: Object.fromEntries(secrets) }),
  }
}

type NetworkPart = Pick<CreateRequest, 'permission_profile' | 'allow_hosts' | 'network_mode'>

function networkOf(form: RunForm, { permissions }: Basis): NetworkPart {
  const more = linesOf(form.moreHosts)
  return {
    ...(form.network !== 'as-asked' && { permission_profile: profileOf(form, permissions) }),
    ...(more.length > 0 && { allow_hosts: more }),
    ...(form.network === 'machine' && { network_mode: 'host' }),
  }
}

/** Folders that the server may use stay; the name goes, since the profile is no longer what it says. */
function profileOf(form: RunForm, permissions: PermissionProfile = {}): PermissionProfile {
  const { name: _, network: _asked, ...files } = permissions
  if (form.network === 'none') return { ...files, network: { outbound: {} } }
  if (form.network !== 'hosts') return { ...files, network: { outbound: { insecure_allow_all: true } } }
  const [hosts, ports] = [linesOf(form.hosts), linesOf(form.ports).map(Number)]
  // Ports without a host would be those of every host.
  const outbound = { allow_host: hosts, ...(hosts.length > 0 && ports.length > 0 && { allow_port: ports }) }
  return { ...files, network: { outbound } }
}

/** What is not a number is for the daemon to refuse. */
const numberOf = (text: string) => (text.trim() === '' ? undefined : Number(text))

function limitsOf(form: RunForm): Pick<CreateRequest, 'resources' | 'limits'> {
  const [memory_mb, cpus, pids] = [form.memory, form.cpus, form.processes].map(numberOf)
  const [requests_per_minute, client_requests_per_minute] = [form.requests, form.clientRequests].map(numberOf)
  const resources = given({ memory_mb, cpus, pids })
  const limits = given({ requests_per_minute, client_requests_per_minute })
  return { ...(resources && { resources }), ...(limits && { limits }) }
}

function given(values: Readonly<Record<string, number | undefined>>): Record<string, number> | undefined {
  const found = Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))
  return found.length > 0 ? Object.fromEntries(found) : undefined
}
