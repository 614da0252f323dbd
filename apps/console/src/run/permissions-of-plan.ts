import type { WorkloadPlan } from '@toolhaven/contract/plans'
import type { CreateRequest } from '@toolhaven/contract/workload-request'
import { describePermissions } from '../server/describe-permissions.ts'

/** What the server of a plan may do. Secrets are as they were asked for: one that is not stored yet is not in the plan. */
export function permissionsOfPlan(
  configuration: NonNullable<WorkloadPlan['configuration']>,
  { secrets, headers_from_secrets }: Pick<CreateRequest, 'secrets' | 'headers_from_secrets'>,
): string[] {
  return describePermissions({
    ...configuration,
    remote: configuration.remote_url !== undefined,
    secrets,
    headers_from_secrets,
  })
}
