import { changeLifecycle, changeLifecycles } from '@toolhaven/core/workloads/lifecycle'
import { createWorkload } from '@toolhaven/core/workloads/create'
import { editWorkload } from '@toolhaven/core/workloads/edit'
import { importWorkload } from '@toolhaven/core/workloads/import'
import { pruneLogs } from '@toolhaven/core/workloads/prune-logs'
import { type Plan, planCreate, planEdit, planImport } from '@toolhaven/core/workloads/plan'
import {
  exportWorkload,
  getWorkload,
  getWorkloadRequest,
  listWorkloads,
  readWorkloadLogs,
  workloadLogs,
  workloadStatusOf,
} from '@toolhaven/core/workloads/read'
import type { exitRoutes } from '@toolhaven/contract/exits'
import type { WorkloadPlan } from '@toolhaven/contract/plans'
import type { workloadRoutes } from '@toolhaven/contract/workloads'
import type { ApiDeps } from '../api-deps.ts'
import type { Handlers } from '../bind.ts'
import { jsonResponse } from '../json-response.ts'
import { toldProblems } from '../told-problems.ts'
import { followLogs, followSeveralLogs, logQueryOf } from './follow-logs.ts'

type Own =
  | keyof typeof workloadRoutes
  | keyof typeof exitRoutes
  | 'importWorkload'
  | 'followLogs'
  | 'followSeveralLogs'
  | 'readLogs'
  | 'pruneLogs'

export function workloadHandlers(deps: ApiDeps): Pick<Handlers, Own> {
  const { workloads } = deps
  return {
    listWorkloads: ({ query }) => jsonResponse(`{"workloads":[${listWorkloads(workloads, query).join(',')}]}`),
    createWorkload: async ({ body, query: { dry_run: isPlan, known_only: knownOnly } }) =>
      isPlan
        ? planResponse(deps, await planCreate(workloads, body, { knownOnly }))
        : createWorkload(workloads, body, { knownOnly }),
    getWorkload: ({ params }) => getWorkload(workloads, params.name),
    deleteWorkload: async ({ params }) => void (await changeLifecycle(workloads, params.name, 'delete')),
    editWorkload: async ({ params: { name }, body, query: { dry_run: isPlan, known_only: knownOnly, revision } }) =>
      isPlan
        ? planResponse(deps, await planEdit(workloads, name, body, { knownOnly, revision }))
        : editWorkload(workloads, name, body, { knownOnly, revision }),
    exportWorkload: ({ params }) => exportWorkload(workloads, params.name),
    getWorkloadRequest: ({ params }) => getWorkloadRequest(workloads, params.name),
    getWorkloadLogs: ({ params }) => workloadLogs(workloads, params.name),
    listExits: ({ params }) => {
      workloads.book.get(params.name)
      return { exits: workloads.exits.of(params.name) }
    },
    restartWorkload: async ({ params }) => void (await changeLifecycle(workloads, params.name, 'restart')),
    getWorkloadStatus: ({ params }) => workloadStatusOf(workloads, params.name),
    stopWorkload: async ({ params }) => void (await changeLifecycle(workloads, params.name, 'stop')),
    deleteWorkloads: async ({ body }) => void (await changeLifecycles(workloads, body, 'delete')),
    restartWorkloads: async ({ body }) => void (await changeLifecycles(workloads, body, 'restart')),
    stopWorkloads: async ({ body }) => void (await changeLifecycles(workloads, body, 'stop')),
    importWorkload: async ({ body, query: { dry_run: isPlan, ...confirmed } }) =>
      isPlan
        ? planResponse(deps, await planImport(workloads, body, confirmed))
        : importWorkload(workloads, body, confirmed),
    pruneLogs: () => pruneLogs(workloads),
    followLogs: ({ params, query, signal }) => followLogs(deps, params.name, query, signal),
    followSeveralLogs: ({ query, signal }) => followSeveralLogs(deps, query, signal),
    readLogs: ({ params, query }) =>
      readWorkloadLogs(workloads, params.name, { ...logQueryOf(query), previous: query.previous }),
  }
}

function planResponse(deps: ApiDeps, { problems, ...plan }: Plan): Response {
  const answer: WorkloadPlan = { ...plan, problems: toldProblems(deps, problems) }
  return jsonResponse(JSON.stringify(answer))
}
