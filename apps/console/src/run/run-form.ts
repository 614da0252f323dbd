import type { CreateRequest, UpdateRequest } from '@toolhaven/contract/workload-request'
import type { RegistryEntry } from '../registry/choose-entries.ts'

export interface Variable {
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

export type NetworkChoice = 'as-asked' | 'none' | 'hosts' | 'internet'

/** What a person fills in. Lists are texts with a line for each item: that is how people paste them. */
export interface RunForm {
  source: 'package' | 'remote'
  image: string
  url: string
  name: string
  group: string
  variables: Variable[]
  args: string
  volumes: string
  network: NetworkChoice
  hosts: string
  memory: string
  acceptMounts: boolean
}

export const EMPTY_FORM: RunForm = {
  ...{ source: 'package', image: '', url: '', name: '', group: 'default', variables: [], args: '', volumes: '' },
  ...{ network: 'as-asked', hosts: '', memory: '', acceptMounts: false },
}

/** The form as the registry would fill it in. */
export function formOf(entry: RegistryEntry): RunForm {
  const { name = '', env_vars = [], permissions } = entry
  return {
    ...EMPTY_FORM,
    // The daemon takes the entry by its name, with all that belongs to it; remote ones too.
    image: name,
    name: name.split('/').at(-1) ?? '',
    variables: env_vars.map(({ name, description, required, secret = false, default: value = '' }) => ({
      ...{ name, value, description, isSecret: secret, isRequired: required },
    })),
    hosts: (permissions?.network?.outbound?.allow_host ?? []).join('\n'),
  }
}

/** Lines that hold something. */
export function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

export function secretNameFor(form: RunForm, variable: Variable): string {
  return variable.stored ?? variable.key ?? wishFor(form, variable)
}

/** What it is for, and for whom. */
function wishFor(form: RunForm, { name }: Variable): string {
  return `${form.name.trim() || 'server'}-${name}`
}

/** The form with a free name for each new secret. One that this form stored before keeps its name. */
export function nameSecrets(form: RunForm, taken: readonly string[], own: ReadonlyMap<string, string>): RunForm {
  const used = new Set(taken)
  const fresh = new Set(newSecrets(form))
  const variables = form.variables.map((variable) => {
    if (!fresh.has(variable)) return variable
    const key = own.get(variable.name) ?? freeName(wishFor(form, variable), used)
    used.add(key)
    return { ...variable, key }
  })
  return { ...form, variables }
}

function freeName(wish: string, used: ReadonlySet<string>): string {
  let name = wish
  for (let number = 2; used.has(name); number += 1) name = `${wish}-${number}`
  return name
}

export const newSecrets = (form: RunForm): Variable[] =>
  form.variables.filter(({ isSecret, stored, value }) => isSecret && stored === undefined && value !== '')

export function requestOf(form: RunForm, entry?: RegistryEntry): CreateRequest {
  const { variables } = form
  const plain = variables.filter(({ name, value, isSecret }) => !isSecret && name !== '' && value !== '')
  const secrets = variables.filter(({ isSecret, stored, value }) => isSecret && (stored !== undefined || value !== ''))
  const memory = Number(form.memory)
  return {
    ...(form.source === 'remote' ? { url: form.url.trim() } : { image: form.image.trim() }),
    ...(form.name.trim() !== '' && { name: form.name.trim() }),
    group: form.group,
    env_vars: Object.fromEntries(plain.map(({ name, value }) => [name, value])),
    secrets: secrets.map((variable) => ({ name: secretNameFor(form, variable), target: variable.name })),
    // Without any, those of the registry entry apply.
    ...(linesOf(form.args).length > 0 && { cmd_arguments: linesOf(form.args) }),
    ...(linesOf(form.volumes).length > 0 && { volumes: linesOf(form.volumes) }),
    ...profileOf(form, entry),
    ...(form.memory.trim() !== '' && { resources: { memory_mb: memory } }),
    ...(form.acceptMounts && { accept_mounts: true }),
  }
}

/** What an edit would keep if it were left out, though the form has it empty now. */
const CLEARED = { cmd_arguments: null, volumes: null, permission_profile: null, resources: null, accept_mounts: null }

/** The same for a server that is there already. */
export function editOf({ name: _, ...change }: CreateRequest): UpdateRequest {
  return { ...CLEARED, ...change }
}

function profileOf(form: RunForm, entry?: RegistryEntry): Pick<CreateRequest, 'permission_profile'> {
  if (form.network === 'as-asked' || form.source === 'remote') return {}
  const { name: _, network: _asked, ...files } = entry?.permissions ?? {}
  const outbound = {
    none: {},
    internet: { insecure_allow_all: true },
    hosts: { allow_host: linesOf(form.hosts) },
  }[form.network]
  return { permission_profile: { ...files, network: { outbound } } }
}
