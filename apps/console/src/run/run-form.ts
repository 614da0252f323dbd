import type { PermissionProfile } from '@toolhaven/contract/permission-profile'
import type { RegistryEntry } from '../registry/choose-entries.ts'

/** A variable of the server, or a header that a remote one is sent. */
export interface NamedValue {
  name: string
  value: string
  /** Its value goes to the secret store, and the server gets it from there. */
  isSecret: boolean
  /** A secret that is stored already, instead of a value. */
  stored?: string
  /** The name that its value is stored under. */
  key?: string
  description?: string
  isRequired?: boolean
}

export type NetworkChoice = 'as-asked' | 'none' | 'hosts' | 'internet' | 'machine'

/** What a person fills in. Lists are texts with a line for each item: that is how people paste them. */
export interface RunForm {
  source: 'package' | 'remote'
  image: string
  url: string
  name: string
  group: string
  variables: NamedValue[]
  /** Of a remote server. */
  headers: NamedValue[]
  args: string
  volumes: string
  network: NetworkChoice
  hosts: string
  ports: string
  /** Allowed besides what the choice gives. */
  moreHosts: string
  tools: string
  memory: string
  cpus: string
  processes: string
  requests: string
  clientRequests: string
  acceptMounts: boolean
}

export const EMPTY_FORM: RunForm = {
  ...{ source: 'package', image: '', url: '', name: '', group: 'default', variables: [], headers: [], args: '' },
  ...{ volumes: '', network: 'as-asked', hosts: '', ports: '', moreHosts: '', tools: '' },
  ...{ memory: '', cpus: '', processes: '', requests: '', clientRequests: '', acceptMounts: false },
}

/** What a form fills in is understood by. */
export interface Basis {
  isRemote: boolean
  /** Its folders stay when another network is chosen. */
  permissions?: PermissionProfile | undefined
  /** The registry entry asks for folders, which the user has to allow. */
  asksForFolders: boolean
}

export function basisOf(form: RunForm, entry?: RegistryEntry): Basis {
  const isRemote = form.source === 'remote' || (entry !== undefined && 'url' in entry)
  return { isRemote, permissions: entry?.permissions, asksForFolders: asksForFolders(entry) }
}

export function asksForFolders(entry: RegistryEntry | undefined): boolean {
  return Boolean(entry?.permissions?.read?.length || entry?.permissions?.write?.length)
}

/** The form as the registry would fill it in. */
export function formOf(entry: RegistryEntry): RunForm {
  const { name = '', permissions } = entry
  const { allow_host: hosts = [], allow_port: ports = [] } = permissions?.network?.outbound ?? {}
  return {
    ...EMPTY_FORM,
    // The daemon takes the entry by its name, with all that belongs to it; remote ones too.
    image: name,
    name: name.split('/').at(-1) ?? '',
    ...valuesAskedFor(entry),
    ...('args_needed' in entry && { args: entry.args_needed?.join('\n') ?? '' }),
    hosts: hosts.join('\n'),
    ports: ports.join('\n'),
  }
}

/** The variables and headers that an entry asks for, with the values that it has for them. */
export function valuesAskedFor(entry: RegistryEntry): Pick<RunForm, 'variables' | 'headers'> {
  const { env_vars: variables = [] } = entry
  const headers = ('headers' in entry ? entry.headers : undefined) ?? []
  const valueOf = ({
    name,
    description,
    required,
    secret = false,
    default: value = '',
  }: (typeof variables)[number]) => ({
    ...{ name, value, description, isSecret: secret, isRequired: required },
  })
  return { variables: variables.map(valueOf), headers: headers.map(valueOf) }
}

/** What keys are usually called. Their values belong in the secret store. */
export function isNameOfSecret(name: string): boolean {
  return /key|token|secret|passw|credential|^auth|cookie/i.test(name)
}

/** Lines that hold something. */
export function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}
