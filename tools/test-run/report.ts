import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { StageResult } from './run-stage.ts'

const SLOWEST = 20

/** The slowest files of a stage, and its result. */
export function describeStage(result: StageResult): string[] {
  const { stage, files, seconds } = result
  const slowest = files.toSorted((one, other) => other.seconds - one.seconds).slice(0, SLOWEST)
  return [
    `${stage.name}: the slowest of ${files.length} files`,
    ...slowest.map(({ file, seconds }) => `${seconds.toFixed(1).padStart(8)} s  ${file}`),
    describeResult(result),
    ...(seconds > stage.budgetSeconds
      ? [`${stage.name}: took ${seconds.toFixed(0)} s, more than its budget of ${stage.budgetSeconds} s`]
      : []),
  ]
}

export function describeResult({ stage, passed, skipped, failures, seconds, busy }: StageResult): string {
  const counts = `${passed} passed, ${failures.length} failed, ${skipped} skipped`
  return `${stage.name}: ${counts} in ${seconds.toFixed(0)} s; the cores were busy ${percent(busy)} of that time`
}

/** All durations of a run. They show where the time goes. */
export function writeDurations(file: string, results: readonly StageResult[], busy: number): void {
  const stages = results.map(({ stage, seconds, busy, files }) => ({
    stage: stage.name,
    seconds,
    busy,
    files: files.toSorted((one, other) => other.seconds - one.seconds),
  }))
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, `${JSON.stringify({ busy, stages }, null, 2)}\n`)
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`
}
