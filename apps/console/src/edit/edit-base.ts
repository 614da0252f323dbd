import { outboundPolicy, type PermissionProfile } from '@toolhaven/contract/permission-profile'
import type { CreateRequest } from '@toolhaven/contract/workload-request'
import type { WorkloadDetails } from '@toolhaven/contract/workloads'
import type { RegistryEntry } from '../registry/choose-entries.ts'
import {
  asksForFolders,
  type Basis,
  EMPTY_FORM,
  isNameOfSecret,
  type NamedValue,
  type RunForm,
  valuesAskedFor,
} from '../run/run-form.ts'

/** What is configured, as an edit begins with it. */
export interface EditBase {
  name: string
  /** An edit of this base is refused once the configuration is of another one. */
  revision: string
  /** What was asked for, with the names of the secrets that are headers. */
  request: CreateRequest
  /** What is in force. */
  details: WorkloadDetails
}

export interface FilledBase extends EditBase {
  form: RunForm
  basis: Basis
}

/** The form with what is configured, and what the registry entry asks for besides. */
export function fillIn(base: EditBase, entry: RegistryEntry | undefined, needed?: string): FilledBase {
  const { request, details } = base
  const { variables, headers } = entry ? valuesAskedFor(entry) : { variables: [], headers: [] }
  const asked = { variables: withNeeded(variables, needed), headers }
  const { resources = {}, limits = {} } = request
  const secretVariables = Object.fromEntries((details.secrets ?? []).map(({ name, target }) => [target, name]))
  const form: RunForm = {
    ...EMPTY_FORM,
    ...{ source: request.url === undefined ? 'package' : 'remote', image: request.image ?? '', url: request.url ?? '' },
    ...{ name: base.name, group: details.group },
    variables: valuesOf({ ...details.env_vars, ...request.env_vars }, secretVariables, asked.variables),
    headers: valuesOf(request.headers, request.headers_from_secrets, asked.headers),
    args: linesFrom(request.cmd_arguments),
    volumes: linesFrom(request.volumes),
    ...networkOf(request, entry?.permissions),
    moreHosts: linesFrom(request.allow_hosts),
    tools: linesFrom(request.tools),
    memory: textOf(resources.memory_mb),
    cpus: textOf(resources.cpus),
    processes: textOf(resources.pids),
    requests: textOf(limits.requests_per_minute),
    clientRequests: textOf(limits.client_requests_per_minute),
    acceptMounts: request.accept_mounts === true,
  }
  const basis = {
    isRemote: details.remote,
    permissions: details.permission_profile,
    asksForFolders: form.acceptMounts || asksForFolders(entry),
  }
  return { ...base, form, basis }
}

/** With a field for what the server said it lacks, unless the registry has one. */
function withNeeded(asked: readonly NamedValue[], name: string | undefined): readonly NamedValue[] {
  if (name === undefined || asked.some((each) => each.name === name)) return asked
  const description = 'The server asked for it before it ended.'
  return [{ name, value: '', isSecret: isNameOfSecret(name), description }, ...asked]
}

/** Those that are asked for come first, in the order in which the registry has them. */
function valuesOf(
  plain: Readonly<Record<string, string>> = {},
  secrets: Readonly<Record<string, string>> = {},
  asked: readonly NamedValue[],
): NamedValue[] {
  const configured: NamedValue[] = [
    ...Object.entries(plain).map(([name, value]) => ({ name, value, isSecret: false })),
    ...Object.entries(secrets).map(([name, stored]) => ({ name, value: '', isSecret: true, stored })),
  ]
  const known = asked.map((each) => {
    const found = configured.find(({ name }) => name.toLowerCase() === each.name.toLowerCase())
    return found ? { ...each, ...found } : each
  })
  const others = configured.filter(({ name }) => !asked.some((each) => each.name.toLowerCase() === name.toLowerCase()))
  return [...known, ...others]
}

/** The hosts of the registry entry are there to begin with, as in the form that runs it. */
function networkOf(
  { permission_profile: profile, network_mode: mode }: CreateRequest,
  asked: PermissionProfile | undefined,
): Pick<RunForm, 'network' | 'hosts' | 'ports'> {
  const { allow_host: hosts = [], allow_port: ports = [] } = (profile ?? asked)?.network?.outbound ?? {}
  const lists = { hosts: linesFrom(hosts), ports: linesFrom(ports) }
  if (mode === 'host') return { ...lists, network: 'machine' }
  if (profile === undefined) return { ...lists, network: 'as-asked' }
  if (profile.name === 'network' && profile.network === undefined) return { ...lists, network: 'internet' }
  const policy = outboundPolicy(profile)
  return { ...lists, network: policy === 'nothing' ? 'none' : policy === 'everything' ? 'internet' : 'hosts' }
}

const linesFrom = (items: readonly (string | number)[] = []) => items.join('\n')
const textOf = (number: number | undefined) => (number === undefined ? '' : String(number))
