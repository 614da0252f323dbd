import { type AuthorizationConfig, authorizationConfig } from '@toolhaven/contract/access-config'
import { parseOutside } from '@toolhaven/contract/parse-outside'
import type { CreateRequest } from '@toolhaven/contract/workload-request'
import { describeError, invalid } from '../../errors.ts'
import type { AuthorizationSpec } from '../../ports/gateway.ts'
import { excerpt } from '@toolhaven/contract/visible-text'
import type { WorkloadsDeps } from '../workloads-deps.ts'

/** The request, with checked policies in place of the path of a file. */
export async function withPolicies(
  deps: Pick<WorkloadsDeps, 'host' | 'gateway'>,
  asked: CreateRequest,
): Promise<CreateRequest> {
  const given = asked.authz_config?.trim()
  if (!given) return asked
  const text = given.startsWith('{') ? given : await readFile(deps, given)
  const config = parseConfig(text)
  const faults = await deps.gateway.policyFaults(specOf(config))
  if (faults.length > 0) throw invalid(`authz_config: ${faults.join('; ')}`)
  return { ...asked, authz_config: JSON.stringify(config) }
}

/** For a request that `withPolicies` has processed. */
export function authorizationConfigOf(text: string | undefined): AuthorizationConfig | undefined {
  return text ? parseConfig(text) : undefined
}

/** For the gateway. */
export function authorizationSpec(config: AuthorizationConfig | undefined): AuthorizationSpec | undefined {
  return config && specOf(config)
}

async function readFile({ host }: Pick<WorkloadsDeps, 'host'>, path: string): Promise<string> {
  const text = await host.readConfigFile(path)
  if (text === undefined)
    throw invalid(
      `authz_config: there is no file ${excerpt(path)} below the configuration folder; give its path, or the JSON text itself`,
    )
  return text
}

function parseConfig(text: string): AuthorizationConfig {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw invalid(`authz_config: is not JSON: ${describeError(error)}`, error)
  }
  const parsed = parseOutside(authorizationConfig, value)
  if (!parsed.success) {
    const faults = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'the text'}: ${message}`)
    throw invalid(`authz_config: ${faults.join('; ')}`)
  }
  const { type, version, cedar } = parsed.data
  if (type === 'cedar' && version !== 'v1')
    throw invalid('authz_config: type "cedar" needs version "v1"; or write type "cedarv1"')
  return { type: 'cedarv1', version, cedar }
}

function specOf({ cedar }: AuthorizationConfig): AuthorizationSpec {
  return { policies: cedar.policies, entitiesJson: cedar.entities_json }
}
