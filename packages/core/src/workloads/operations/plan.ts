import type { Difference } from '@toolhaven/contract/plans'
import type { RunConfig } from '@toolhaven/contract/run-config'
import type { CreateRequest, UpdateRequest } from '@toolhaven/contract/workload-request'
import { draftCreate, NO_PORT, type Origin } from './create.ts'
import { draftEdit, type EditOptions } from './edit.ts'
import { type Confirmed, draftImport } from './import.ts'
import { isMove } from './move.ts'
import type { WorkloadsDeps } from '../workloads-deps.ts'
import { differencesOf } from './differences.ts'
import { collectProblems, type FoundProblems, type Problem } from '../config/problems.ts'

/** What a request would do. */
export interface Plan {
  name?: string
  port?: number
  configuration?: RunConfig
  differences: Difference[]
  problems: readonly Problem[]
  restarts: boolean
}

export async function planCreate(deps: WorkloadsDeps, request: CreateRequest, origin: Origin = {}): Promise<Plan> {
  return planNew(deps, request, origin, collectProblems())
}

export async function planImport(deps: WorkloadsDeps, config: RunConfig, confirmed: Confirmed): Promise<Plan> {
  const problems = collectProblems()
  const draft = await unlessRefused(problems, () => draftImport(withoutStoring(deps), config, confirmed, problems))
  if (!draft) return { differences: [], problems: problems.found, restarts: false }
  return planNew(deps, draft.request, draft.origin, problems)
}

async function planNew(
  deps: WorkloadsDeps,
  request: CreateRequest,
  origin: Origin,
  problems: FoundProblems,
): Promise<Plan> {
  const draft = await unlessRefused(problems, () => draftCreate(withoutStoring(deps), request, origin, problems))
  const rest = { problems: problems.found, restarts: false }
  if (!draft) return { ...rest, ...(request.name !== undefined && { name: request.name }), differences: [] }
  const { config, port } = draft.stored
  const configuration: RunConfig = { ...config }
  if (port === NO_PORT) delete configuration.port
  return {
    ...rest,
    name: config.name,
    ...(port !== NO_PORT && { port }),
    configuration,
    differences: differencesOf({}, configuration),
  }
}

export async function planEdit(
  deps: WorkloadsDeps,
  name: string,
  update: UpdateRequest,
  options: EditOptions = {},
): Promise<Plan> {
  // An unknown workload has no plan.
  const { stored } = deps.book.get(name)
  const problems = collectProblems()
  const draft = await unlessRefused(problems, () => draftEdit(withoutStoring(deps), name, update, options, problems))
  return {
    ...{ name, port: stored.port },
    ...(draft && { configuration: draft.config }),
    differences: draft ? differencesOf(stored.config, draft.config) : [],
    problems: problems.found,
    restarts: stored.wanted === 'running' && !isMove(update),
  }
}

/** After some problems, the plan cannot continue. */
async function unlessRefused<T>(problems: FoundProblems, draft: () => Promise<T>): Promise<T | undefined> {
  try {
    return await draft()
  } catch (error) {
    problems.add(error)
    return undefined
  }
}

/** Checks that a provider could store the value, but does not store it. */
function withoutStoring(deps: WorkloadsDeps): WorkloadsDeps {
  return { ...deps, storeSecret: (key, value) => deps.checkSecret(key, value) }
}
