import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { messageOf } from '../api.ts'
import { Code } from '../parts/Code.tsx'
import { clientsQuery } from '../queries.ts'
import { InTheWay, Sentences, Stores } from '../run/PlanParts.tsx'
import { consequencesOf } from './consequences.ts'
import { Differences } from './Differences.tsx'
import type { EditBase } from './edit-base.ts'
import { flatDifferences } from './flat-differences.ts'
import type { useEditPlan } from './use-edit-plan.ts'

export interface EditPlanProps {
  base: EditBase
  of: ReturnType<typeof useEditPlan>
  /** Secrets that are stored before the change. */
  coming?: readonly string[]
  /** The equivalent command, if flags can express the edit. */
  command: string | undefined
  notes?: readonly string[]
  /** The buttons, unless they are elsewhere. */
  children?: ReactNode
}

/** What an edit changes, restarts and writes, according to the daemon's plan. */
export function EditPlan({ base: { details }, of, coming = [], command, notes = [], children }: EditPlanProps) {
  const { data: clients = [] } = useQuery(clientsQuery)
  const { isEmpty, plan, error, isFetching, problems } = of
  return (
    <section className="notice" aria-label="Plan" aria-busy={isFetching}>
      <h2>What will change</h2>
      {isEmpty && <p className="muted">No changes yet.</p>}
      <InTheWay problems={error ? [messageOf(error)] : problems.map(({ message }) => message)} />
      <Stores keys={coming} />
      {plan && plan.differences.length > 0 && (
        <>
          <Differences changes={flatDifferences(plan.differences)} />
          <Sentences label="Consequences" sentences={consequencesOf(details, plan, clients)} />
        </>
      )}
      {plan && plan.differences.length === 0 && problems.length === 0 && (
        <p>The configuration stays as it is. Applying restarts the server.</p>
      )}
      {notes.length > 0 && <Sentences label="Notes" sentences={notes} />}
      {!isEmpty && command !== undefined && <Code text={command} label="Copy the command that does the same" />}
      {children}
    </section>
  )
}
