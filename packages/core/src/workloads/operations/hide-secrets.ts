import type { RunConfig } from '@toolhaven/contract/run-config'
import type { CreateRequest } from '@toolhaven/contract/workload-request'
import { hideHeaderSecrets, withoutHeaderSecrets } from './header-secrets.ts'
import { hideOauthSecret, withoutOauthSecret } from '../config/oauth.ts'
import { hideOidcSecret, withoutOidcSecret } from '../config/oidc.ts'
import type { Target } from './target.ts'
import type { WorkloadsDeps } from '../workloads-deps.ts'

/** Moves every secret value of a configuration to the secret store and puts its name in its place. */
export async function hideSecrets(
  deps: Pick<WorkloadsDeps, 'secretExists' | 'storeSecret'>,
  config: RunConfig,
  target: Target,
): Promise<RunConfig> {
  const withHeaders = await hideHeaderSecrets(deps, config, target.entry)
  return hideOidcSecret(deps, await hideOauthSecret(deps, withHeaders))
}

/** The request, without the values that went there. */
export function withoutSecrets(asked: CreateRequest, config: RunConfig): CreateRequest {
  return withoutOidcSecret(withoutOauthSecret(withoutHeaderSecrets(asked, config), config), config)
}
