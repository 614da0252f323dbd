import { messageOf } from '../api.ts'
import { Code } from '../parts/Code.tsx'
import { inFormWords } from './form-words.ts'
import { permissionsOfPlan } from './permissions-of-plan.ts'
import { InTheWay, Sentences, Stores } from './PlanParts.tsx'
import { thvCommand } from './thv-command.ts'
import type { useRunPlan } from './use-run-plan.ts'

/** What the button will do, as the daemon says before it is pressed. `told`: what the form says against it already. */
export function RunPlan({ of, told }: { of: ReturnType<typeof useRunPlan>; told: string | undefined }) {
  const { request, plan, error, isFetching, fresh, problems } = of
  const isTold = Boolean(request.image ?? request.url)
  const command = thvCommand(request)
  const inTheWay = error ? [inFormWords(messageOf(error))] : problems.map(({ message }) => message)
  return (
    <section className="notice" aria-label="Plan" aria-busy={isFetching}>
      <h2>What will happen</h2>
      <InTheWay problems={inTheWay.filter((message) => message !== told)} />
      <Stores keys={fresh} />
      {plan?.configuration && (
        <Sentences label="Permissions" sentences={permissionsOfPlan(plan.configuration, request)} />
      )}
      {!isTold && <p className="muted">Nothing yet.</p>}
      {isTold && command !== undefined && <Code text={command} label="Copy the command that does the same" />}
    </section>
  )
}
