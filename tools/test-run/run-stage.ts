import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { EXPECTED_SKIPS } from '@toolhaven/testing/expected-skips'
import { watchCores } from './cores.ts'
import type { Interruption } from './interruption.ts'
import { runVitest } from './run-vitest.ts'
import { leftoversAfterAWhile, makeScratch, removeScratch } from './scratch.ts'
import { unexpectedSkips } from './skips.ts'
import type { Stage } from './stages.ts'
import type { FileTime, Summary } from './summary-reporter.ts'

export interface StageOptions {
  full: boolean
  filters: readonly string[]
  /** With it only the expected skips pass. */
  strict: boolean
  prefixed: boolean
  interruption: Interruption
}

export interface StageResult {
  stage: Stage
  passed: number
  skipped: number
  failures: string[]
  skips: string[]
  files: FileTime[]
  seconds: number
  /** Share of time in which the cores worked while the stage ran, whatever they worked on. */
  busy: number
}

export async function runStage(stage: Stage, options: StageOptions): Promise<StageResult> {
  const startedAt = Date.now()
  const busyShare = watchCores()
  const folder = mkdtempSync(path.join(tmpdir(), 'thv-run-'))
  const summaryFile = path.join(folder, 'summary.json')
  const scratch = makeScratch()
  const finish = (judged: Judged) => ({ stage, ...judged, seconds: (Date.now() - startedAt) / 1000, busy: busyShare() })
  try {
    const code = await runVitest({ stage, summaryFile, scratch, ...options })
    const judged = existsSync(summaryFile)
      ? judge(stage, JSON.parse(readFileSync(summaryFile, 'utf8')), code, options)
      : { ...NOTHING, failures: [`${stage.name}: vitest left no summary: ${code}`] }
    const left = await leftoversAfterAWhile(scratch)
    if (left.length > 0) judged.failures.push(`${stage.name}: the tests left behind:\n${left.join('\n')}`)
    return finish(judged)
  } catch (error) {
    // A failure of this stage must not end the runner while the other lane works.
    return finish({ ...NOTHING, failures: [`${stage.name}: the runner failed: ${String(error)}`] })
  } finally {
    removeScratch(scratch)
    rmSync(folder, { recursive: true, force: true })
  }
}

type Judged = Pick<StageResult, 'passed' | 'skipped' | 'failures' | 'skips' | 'files'>

const NOTHING: Judged = { passed: 0, skipped: 0, failures: [], skips: [], files: [] }

function judge(stage: Stage, summary: Summary, code: number | string, options: StageOptions): Judged {
  const unexpected = unexpectedSkips(summary.skips, EXPECTED_SKIPS, options.strict)
  const failures = [
    ...summary.failures.map(({ test, reason }) => `${stage.name}: ${test}\n${shortened(reason)}`),
    ...unexpected.map(({ test, reason }) => `${stage.name}: unexpected skip: ${test}: ${reason ?? NO_REASON}`),
  ]
  if (summary.passed + summary.skips.length + failures.length === 0 && options.filters.length === 0) {
    failures.push(`${stage.name}: no test ran`)
  }
  if (failures.length === 0 && code !== 0) failures.push(`${stage.name}: vitest ended: ${code}`)
  return {
    passed: summary.passed,
    skipped: summary.skips.length - unexpected.length,
    failures,
    skips: summary.skips.map(({ test, reason }) => `${test}: ${reason ?? NO_REASON}`),
    files: summary.files,
  }
}

const NO_REASON = '(no reason given)'

function shortened(reason: string): string {
  return stripVTControlCharacters(reason).split('\n').slice(0, 12).join('\n')
}
