import type { WorkloadPlan } from '@toolhaven/contract/plans'
import type { CreateRequest } from '@toolhaven/contract/workload-request'
import { messageOf } from '../api.ts'
import { Code } from '../parts/Code.tsx'
import { describePermissions } from '../server/describe-permissions.ts'
import { InTheWay, Sentences, Stores } from './PlanParts.tsx'
import { thvCommand } from './thv-command.ts'
import type { useRunPlan } from './use-run-plan.ts'

/** What the button will do, as the daemon says before it is pressed. */
export function RunPlan({ of }: { of: ReturnType<typeof useRunPlan> }) {
  const { request, plan, error, isFetching, fresh, problems } = of
  const command = thvCommand(request)
  return (
    <section className="notice" aria-label="Plan" aria-busy={isFetching}>
      <h2>What will happen</h2>
      <InTheWay problems={error ? [messageOf(error)] : problems.map(({ message }) => message)} />
      <Stores keys={fresh} />
      {plan?.configuration && <Sentences label="Permissions" sentences={sentencesOf(plan.configuration, request)} />}
      {command !== undefined && <Code text={command} label="Copy the command that does the same" />}
    </section>
  )
}

function sentencesOf(
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
