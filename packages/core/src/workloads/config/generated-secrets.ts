import type { RunConfig } from '@toolhaven/contract/run-config'
import { describeError, isThvError } from '../../errors.ts'
import { parseSecretReference } from '../running/instance-spec.ts'
import type { SupervisorDeps } from '../running/supervisor-deps.ts'

export const headerSecret = (workload: string, header: string) => `${workload}-header-${header.toLowerCase()}`
export const oauthSecret = (workload: string) => `${workload}-oauth-client-secret`
export const oidcSecret = (workload: string) => `${workload}-oidc-client-secret`

/** Names of all secrets that a configuration refers to. */
export function secretsIn(config: RunConfig): Set<string> {
  const { headers_from_secrets: headers = {}, clientSecret: oauth } = config.remote_auth_config ?? {}
  const clientSecrets = [oauth, config.oidc_config?.clientSecret].filter((key) => key !== undefined)
  const inVariables = (config.secrets ?? []).map((reference) => parseSecretReference(reference).name)
  return new Set([...inVariables, ...Object.values(headers), ...clientSecrets])
}

/** Deletes the secrets that Toolhaven made from values in this workload's request, unless another workload uses them. */
export async function deleteGeneratedSecrets(
  { book, deleteSecret, logger }: Pick<SupervisorDeps, 'book' | 'deleteSecret' | 'logger'>,
  config: RunConfig,
): Promise<void> {
  const { name } = config
  const headers = Object.entries(config.remote_auth_config?.headers_from_secrets ?? {})
  const generated = new Set([
    ...headers.map(([header]) => headerSecret(name, header)),
    ...[oauthSecret(name), oidcSecret(name)],
  ])
  const others = book.all().filter(({ stored }) => stored.config.name !== name)
  const inUse = new Set(others.flatMap(({ stored }) => [...secretsIn(stored.config)]))
  for (const key of secretsIn(config)) {
    if (!generated.has(key) || inUse.has(key)) continue
    try {
      await deleteSecret(key)
    } catch (error) {
      // A secret that cannot be deleted now must not keep the workload from being removed.
      if (!isThvError(error, 'not-found'))
        logger.warn('a secret of a removed workload stays', { workload: name, key, reason: describeError(error) })
    }
  }
}
