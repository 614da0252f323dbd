import type { PlanProblem } from '@toolhaven/contract/plans'
import type { Plan } from '@toolhaven/core/workloads/plan'
import type { ApiDeps } from './api-deps.ts'
import { toErrorAnswer } from './http-errors.ts'

/** The problems of a plan, worded as the request itself would report them. */
export function toldProblems({ logger, workloads }: ApiDeps, problems: Plan['problems']): PlanProblem[] {
  const mask = (text: string) => workloads.masker.mask(text)
  return problems.map(({ field, error }) => {
    const { status, text } = toErrorAnswer(error, { logger, mask, isOwner: false })
    return { status, ...(field !== undefined && { field }), message: text.replaceAll(/\p{Cc}+/gu, '?') }
  })
}
