import { outboundPolicy } from '@toolhaven/contract/permission-profile'
import type { CreateRequest } from '@toolhaven/contract/workload-request'

/** The command that does the same as the form; undefined where flags cannot say it. */
export function thvCommand(request: CreateRequest): string | undefined {
  const profile = profileFlag(request.permission_profile)
  if (profile === undefined) return undefined
  const { resources } = request
  const { image, url, name, group, env_vars = {}, secrets = [], volumes = [], cmd_arguments = [] } = request
  const words = [
    ...['thv', 'run'],
    ...(name === undefined ? [] : ['--name', name]),
    ...(group === undefined || group === 'default' ? [] : ['--group', group]),
    ...Object.entries(env_vars).flatMap(([key, value]) => ['-e', `${key}=${value}`]),
    ...secrets.flatMap((secret) => ['--secret', `${secret.name},target=${secret.target}`]),
    ...volumes.flatMap((volume) => ['--volume', volume]),
    ...profile,
    ...(resources?.memory_mb === undefined ? [] : ['--memory', `${resources.memory_mb}m`]),
    ...(request.accept_mounts ? ['--accept-mounts'] : []),
    image ?? url ?? '',
    ...(cmd_arguments.length > 0 ? ['--', ...cmd_arguments] : []),
  ]
  return words.map(quoted).join(' ')
}

/** The two profiles that have a name. Others are files. */
function profileFlag(profile: CreateRequest['permission_profile']): string[] | undefined {
  if (profile === undefined) return []
  const { read = [], write = [], network } = profile
  if (read.length + write.length > 0) return undefined
  const policy = outboundPolicy({ network })
  if (policy === 'allow-list') return undefined
  return ['--permission-profile', policy === 'nothing' ? 'none' : 'network']
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
}
