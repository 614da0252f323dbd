import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { messageOf } from '../api.ts'
import { Problem } from '../parts/Problem.tsx'
import { secretsQuery, workloadsQuery } from '../queries.ts'
import type { RegistryEntry } from '../registry/choose-entries.ts'
import { ProblemsOfForm } from './FieldProblems.tsx'
import type { FieldsProps } from './fields-props.ts'
import { problemsOfError } from './field-labels.ts'
import { inFormWords } from './form-words.ts'
import { Outcome } from './Outcome.tsx'
import { RunPlan } from './RunPlan.tsx'
import { basisOf, type RunForm } from './run-form.ts'
import { nameSecrets } from './secret-names.ts'
import { ServerFields } from './ServerFields.tsx'
import { SourceFields } from './SourceFields.tsx'
import { useKeepTyped } from './use-kept-form.ts'
import { useRun } from './use-run.ts'
import { useRunPlan } from './use-run-plan.ts'

/** One form for every kind of server. What was typed stays, whatever becomes of it. */
export function RunServerForm({ initial, entry }: { initial: RunForm; entry?: RegistryEntry }) {
  const [form, setForm] = useState(initial)
  const [made, setMade] = useState<string>()
  useKeepTyped(form, made !== undefined)
  const { run, stored } = useRun(entry)
  const { data: keys = [] } = useQuery(secretsQuery)
  const plan = useRunPlan(nameSecrets(form, keys, stored), entry, made)
  const change: FieldsProps['onChange'] = (part) => setForm((before) => ({ ...before, ...part }))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    run.mutate({ form, made }, { onSuccess: ({ name }) => setMade(name), onError: showFirstProblem })
  }
  const { data: servers } = useQuery(workloadsQuery)
  const isRunning = servers?.some(({ name, status }) => name === made && status === 'running') === true
  const hasTyped = form !== initial || run.isError
  // What is still to be filled in is no mistake of a person who has just arrived. A name that is taken is to be seen.
  const problems = plan.problems.filter(({ status }) => hasTyped || status === 409)
  const refusal = run.error ? refusalOf(run.error) : undefined
  return (
    <form className="form" onSubmit={submit} aria-label="Run a server">
      <ProblemsOfForm value={problems}>
        {!entry && <SourceFields form={form} onChange={change} />}
        <ServerFields form={form} onChange={change} basis={basisOf(form, entry)} isMade={made !== undefined} />
      </ProblemsOfForm>
      <RunPlan of={plan} told={refusal} />
      {refusal !== undefined && <Problem message={refusal} />}
      {made !== undefined && !run.isPending && <Outcome name={made} />}
      <div className="actions at-hand">
        <button type="submit" className={isRunning ? '' : 'primary'} disabled={run.isPending}>
          {made === undefined ? 'Run' : 'Apply and restart'}
        </button>
      </div>
    </form>
  )
}

function refusalOf(error: Error): string {
  const fields = problemsOfError(error)
  return fields ? fields.map(({ message }) => message).join('; ') : inFormWords(messageOf(error))
}

/** The field that a person has to change comes into view, with what is wrong with it. */
function showFirstProblem(): void {
  const field = document.querySelector<HTMLElement>('form [aria-invalid=true]')
  const section = field?.closest('details')
  if (section) section.open = true
  field?.focus()
}
