import type { lessonRoutes } from '@toolhaven/contract/lesson'
import { applyLesson, getLesson } from '@toolhaven/core/workloads/learn'
import type { ApiDeps } from '../api-deps.ts'
import type { Handlers } from '../bind.ts'

export function lessonHandlers({ workloads }: ApiDeps): Pick<Handlers, keyof typeof lessonRoutes> {
  return {
    getLesson: ({ params }) => getLesson(workloads, params.name),
    applyLesson: ({ params, body }) => applyLesson(workloads, params.name, body.permission_profile),
  }
}
