import { writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Reporter, SerializedError, TestModule, TestSuite } from 'vitest/node'
import type { Skip } from './skips.ts'

const ROOT = path.resolve(import.meta.dirname, '../..') + path.sep

export interface Failure {
  test: string
  reason: string
}

export interface FileTime {
  /** From the top of the repository. */
  file: string
  /** Milliseconds since the epoch. */
  startedAt: number
  seconds: number
}

export interface Summary {
  passed: number
  failures: Failure[]
  skips: Skip[]
  files: FileTime[]
}

/** Writes the result of one vitest run; the built-in JSON report leaves out the reasons of skips. */
export default class SummaryReporter implements Reporter {
  readonly #startedAt = new Map<string, number>()
  readonly #files: FileTime[] = []

  onTestModuleQueued({ moduleId }: TestModule): void {
    this.#startedAt.set(moduleId, Date.now())
  }

  onTestModuleEnd({ moduleId, relativeModuleId }: TestModule): void {
    const startedAt = this.#startedAt.get(moduleId) ?? Date.now()
    this.#files.push({ file: relativeModuleId, startedAt, seconds: (Date.now() - startedAt) / 1000 })
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    const file = process.env['THV_TEST_SUMMARY']
    if (file !== undefined) writeFileSync(file, JSON.stringify({ ...summarise(modules, errors), files: this.#files }))
  }
}

function summarise(modules: readonly TestModule[], outside: readonly SerializedError[]): Omit<Summary, 'files'> {
  const summary: Omit<Summary, 'files'> = {
    passed: 0,
    failures: outside.map((error) => failure('outside any test', [error])),
    skips: [],
  }
  for (const module of modules) {
    const file = module.relativeModuleId
    // A file that cannot be loaded, or a group whose hook throws, has no failed test of its own.
    if (isBroken(module)) summary.failures.push(failure(file, module.errors()))
    for (const suite of module.children.allSuites()) {
      if (isBroken(suite)) summary.failures.push(failure(`${file} > ${suite.fullName}`, suite.errors()))
    }
    for (const test of module.children.allTests()) {
      const result = test.result()
      const name = `${file} > ${test.fullName}`
      if (result.state === 'passed' && (test.diagnostic()?.retryCount ?? 0) > 0) {
        summary.failures.push({ test: name, reason: 'it failed before it passed; retries hide failures' })
      } else if (result.state === 'passed') summary.passed += 1
      else if (result.state === 'failed') summary.failures.push(failure(name, result.errors))
      else if (result.state === 'pending') summary.failures.push({ test: name, reason: 'it never ended' })
      else if (!insideBroken(test.parent)) summary.skips.push({ test: name, reason: result.note })
    }
  }
  return summary
}

function failure(test: string, errors: readonly SerializedError[]): Failure {
  return { test, reason: errors.map(reasonOf).join('\n') }
}

/** "fetch failed" alone explains nothing: where it was thrown, and why, are part of the reason. */
function reasonOf({ message, stacks, cause }: SerializedError): string {
  const place = stacks?.find(({ file }) => file.startsWith(ROOT) && !file.includes('/node_modules/'))
  const at = place === undefined ? '' : `\n  at ${place.file.slice(ROOT.length)}:${place.line}`
  return `${message}${at}${cause === undefined ? '' : `\ncaused by: ${reasonOf(cause)}`}`
}

function isBroken(place: TestModule | TestSuite): boolean {
  return place.errors().length > 0
}

function insideBroken(place: TestModule | TestSuite): boolean {
  return isBroken(place) || (place.type === 'suite' && insideBroken(place.parent))
}
