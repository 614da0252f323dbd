import { ApiError } from '@toolhaven/contract/client'
import type { PlanProblem } from '@toolhaven/contract/plans'

/** What the fields of a request are called in the forms. */
const LABELS: Readonly<Record<string, string>> = {
  ...{ name: 'Name', group: 'Group', image: 'Package or image', url: 'Address', env_vars: 'Variables' },
  ...{ secrets: 'Secrets', headers: 'Headers', cmd_arguments: 'Arguments', volumes: 'Folders', tools: 'Tools' },
  ...{ permission_profile: 'Network', allow_hosts: 'Additional hosts', network_mode: 'Network' },
  ...{ 'resources.memory_mb': 'Memory in MB', 'resources.cpus': 'CPU cores', 'resources.pids': 'Processes' },
  'limits.requests_per_minute': 'Requests per minute',
  'limits.client_requests_per_minute': 'Requests per minute of each client',
}

/** What a request that was refused as a whole says of each field, if it says no more than that. */
export function problemsOfError(error: unknown): PlanProblem[] | undefined {
  if (!(error instanceof ApiError) || error.status !== 400) return undefined
  const told = error.message.split('; ').map((part) => {
    const [, path = '', message] = /^([a-z_]+(?:\.[a-z_]+)*)(?:[.[][^:]*)?: (.+)$/.exec(part) ?? []
    const label = LABELS[path] ?? LABELS[path.split('.', 1)[0] ?? '']
    return label === undefined ? undefined : { status: error.status, field: path, message: `${label}: ${message}` }
  })
  const problems = told.filter((each) => each !== undefined)
  return problems.length === told.length ? problems : undefined
}
