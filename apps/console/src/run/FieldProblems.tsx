import type { PlanProblem } from '@toolhaven/contract/plans'
import { createContext, use } from 'react'
import { ForeignText } from '../parts/ForeignText.tsx'

/** What the daemon says against the request of a form, for its fields. */
export const ProblemsOfForm = createContext<readonly PlanProblem[]>([])

/** What is wrong with these fields of the request. */
export function useFieldProblems(fields: readonly string[]): string[] {
  const problems = use(ProblemsOfForm)
  return problems.filter(({ field }) => field !== undefined && fields.includes(field)).map(({ message }) => message)
}

/** The problems of fields, at the place where they are filled in. */
export function FieldProblems({ fields, id }: { fields: readonly string[]; id?: string }) {
  const messages = useFieldProblems(fields)
  if (messages.length === 0) return null
  return (
    <span id={id} className="field-problem">
      <ForeignText text={messages.join(' ')} />
    </span>
  )
}
