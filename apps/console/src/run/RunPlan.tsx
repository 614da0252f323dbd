import type { PlanProblem, WorkloadPlan } from '@toolhaven/contract/plans'
import { messageOf } from '../api.ts'
import { Code } from '../parts/Code.tsx'
import { ForeignText } from '../parts/ForeignText.tsx'
import type { RegistryEntry } from '../registry/choose-entries.ts'
import { describePermissions } from '../server/describe-permissions.ts'
import { newSecrets, requestOf, type RunForm, secretNameFor } from './run-form.ts'
import { thvCommand } from './thv-command.ts'
import { usePlan } from './use-plan.ts'

interface RunPlanProps {
  form: RunForm
  entry: RegistryEntry | undefined
  /** The server that an earlier try made. */
  made: string | undefined
}

/** What the button will do, as the daemon says before it is pressed. */
export function RunPlan({ form, entry, made }: RunPlanProps) {
  const request = requestOf(form, entry)
  const { data: plan, error, isFetching } = usePlan(request, made)
  const fresh = newSecrets(form).map((variable) => secretNameFor(form, variable))
  const problems = error ? [messageOf(error)] : problemsOf(plan, fresh.length > 0)
  const command = thvCommand(request)
  return (
    <section className="notice" aria-label="Plan" aria-busy={isFetching}>
      <h2>What will happen</h2>
      {problems.length > 0 && <Sentences label="In the way" sentences={problems} />}
      {fresh.length > 0 && (
        <p>
          Stores <ForeignText text={listOf(fresh)} /> in the secret store.
        </p>
      )}
      {plan?.configuration && (
        <Sentences label="Permissions" sentences={sentencesOf(plan.configuration, request.secrets)} />
      )}
      {command !== undefined && <Code text={command} label="Copy the command that does the same" />}
    </section>
  )
}

function Sentences({ label, sentences }: { label: string; sentences: readonly string[] }) {
  return (
    <ul className="plain-list" aria-label={label}>
      {sentences.map((sentence) => (
        <li key={sentence}>
          <ForeignText text={sentence} />
        </li>
      ))}
    </ul>
  )
}

function sentencesOf(
  configuration: NonNullable<WorkloadPlan['configuration']>,
  secrets: ReturnType<typeof requestOf>['secrets'],
): string[] {
  return describePermissions({ ...configuration, remote: configuration.remote_url !== undefined, secrets })
}

/** Secrets that are stored first are not missing. */
function problemsOf(plan: WorkloadPlan | undefined, storesSecrets: boolean): string[] {
  const isSolved = ({ field }: PlanProblem) => storesSecrets && field === 'secrets'
  return (plan?.problems ?? []).filter((problem) => !isSolved(problem)).map(({ message }) => message)
}

function listOf(items: readonly string[]): string {
  return new Intl.ListFormat('en').format(items)
}
