import { differences, hasFailed, isEqual } from './compare.ts'
import { limitOf, type KnownLimit } from './known-limits.ts'
import { requiredScenarios, runSuite, type Check, type SuiteRun } from './suites.ts'
import { startTarget, WAYS, type Way } from './targets.ts'

export interface Cell {
  /** `equal so far`: to the server with the limits it has behind the gateway. */
  state: 'pass' | 'fail' | 'equal' | 'equal so far' | 'limit' | 'differs'
  notes: readonly string[]
}

export interface Row {
  suite: string
  revision: string
  scenario: string
  isRequired: boolean
  cells: Readonly<Partial<Record<Way, Cell>>>
}

/** The suite has its own timers, which a busy machine exceeds: a failed comparison is repeated. */
const TRIES = 3

/** Runs everything, or `only` these scenarios, against the fixture itself and through the gateway. */
export async function runWays(
  run: SuiteRun,
  ways: readonly Way[] = WAYS,
  only: readonly string[] = [],
): Promise<Row[]> {
  const required = requiredScenarios(run.revision)
  const direct = await askDirect(run, required, only)
  const proxied = new Map<Way, Map<string, Cell>>()
  const isAsked = (way: Way) => way !== 'direct' && (way !== 'older-era' || run.revision === '2026-07-28')
  for (const way of ways) if (isAsked(way)) proxied.set(way, await askThrough(run, way, direct, only))
  const missing = only.length > 0 || run.name !== '0.2' ? [] : required.filter((scenario) => !direct.has(scenario))
  const asked = [...direct].map(([scenario, checks]): Row => {
    const own: Cell = hasFailed(checks) ? { state: 'fail', notes: failures(checks) } : { state: 'pass', notes: [] }
    const cells = Object.fromEntries([...proxied].map(([way, outcomes]) => [way, outcomes.get(scenario) ?? ABSENT]))
    return row(run, scenario, required.includes(scenario), { direct: own, ...cells })
  })
  return [...asked, ...missing.map((scenario) => row(run, scenario, true, { direct: ABSENT }))]
}

const ABSENT: Cell = { state: 'fail', notes: ['the suite did not run it'] }

function row(run: SuiteRun, scenario: string, isRequired: boolean, cells: Row['cells']): Row {
  return { suite: run.name, revision: run.revision, scenario, isRequired, cells }
}

async function askDirect(run: SuiteRun, required: readonly string[], only: readonly string[]) {
  await using target = await startTarget(run.revision, 'direct')
  const outcomes = await ask(run, target.url, only)
  for (const [scenario, checks] of outcomes) {
    if (!required.includes(scenario)) continue
    const isWanted = (found: readonly Check[]) => !hasFailed(found)
    outcomes.set(scenario, await settle(run, { url: target.url, scenario, checks, isWanted }))
  }
  return outcomes
}

async function askThrough(run: SuiteRun, way: Way, direct: ReadonlyMap<string, Check[]>, only: readonly string[]) {
  await using target = await startTarget(run.revision, way)
  const outcomes = await ask(run, target.url, only)
  const cells = new Map<string, Cell>()
  for (const [scenario, wanted] of direct) {
    const limit = limitOf(run, way, scenario)
    const first = outcomes.get(scenario) ?? []
    const known = limit?.withLimit === undefined ? wanted : await askLimited(run, scenario, limit.withLimit, first)
    const isWanted = (found: readonly Check[]) => isEqual(known, found)
    const isExcused = limit !== undefined && limit.withLimit === undefined
    const checks = isExcused ? first : await settle(run, { url: target.url, scenario, checks: first, isWanted })
    cells.set(scenario, cellOf(limit, differences(known, checks)))
  }
  return cells
}

function cellOf(limit: KnownLimit | undefined, notes: readonly string[]): Cell {
  if (notes.length === 0) return { state: limit?.withLimit === undefined ? 'equal' : 'equal so far', notes }
  return limit === undefined || limit.withLimit !== undefined
    ? { state: 'differs', notes }
    : { state: 'limit', notes: [limit.reason, ...notes] }
}

/** What the server itself does when it can do no more than behind the gateway. */
async function askLimited(
  run: SuiteRun,
  scenario: string,
  args: readonly string[],
  proxied: readonly Check[],
): Promise<readonly Check[]> {
  await using target = await startTarget(run.revision, 'direct', args)
  const { url } = target
  const checks = (await runSuite(run, url, scenario)).get(scenario) ?? []
  return await settle(run, { url, scenario, checks, isWanted: (found) => isEqual(found, proxied) })
}

async function ask(run: SuiteRun, url: string, only: readonly string[]): Promise<Map<string, Check[]>> {
  if (only.length === 0) return runSuite(run, url)
  const outcomes = new Map<string, Check[]>()
  for (const scenario of only)
    for (const [name, checks] of await runSuite(run, url, scenario)) outcomes.set(name, checks)
  return outcomes
}

interface Outcome {
  url: string
  scenario: string
  checks: Check[]
  isWanted: (checks: readonly Check[]) => boolean
}

async function settle(run: SuiteRun, { url, scenario, checks, isWanted }: Outcome): Promise<Check[]> {
  let found = checks
  for (let tries = 1; tries < TRIES && !isWanted(found); tries++)
    found = (await runSuite(run, url, scenario)).get(scenario) ?? found
  return found
}

function failures(checks: readonly Check[]): string[] {
  return checks
    .filter(({ status }) => status === 'FAILURE')
    .map(({ id, errorMessage = '' }) => `direct: ${id} FAILURE ${errorMessage}`)
}
