import { writeFileSync } from 'node:fs'
import type { Reporter, SerializedError, TestModule, TestSuite } from 'vitest/node'
import type { Skip } from './skips.ts'

export interface Summary {
  passed: number
  failed: number
  skips: Skip[]
}

/** Writes what one vitest run came to; the built-in JSON report leaves out the reasons of skips. */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    const file = process.env['THV_TEST_SUMMARY']
    if (file !== undefined) writeFileSync(file, JSON.stringify(summarise(modules, errors.length)))
  }
}

function summarise(modules: readonly TestModule[], unhandledErrors: number): Summary {
  const summary: Summary = { passed: 0, failed: unhandledErrors, skips: [] }
  for (const module of modules) {
    // A file that cannot be loaded, or a group whose hook throws, has no failed test of its own.
    if (isBroken(module)) summary.failed += 1
    for (const suite of module.children.allSuites()) if (isBroken(suite)) summary.failed += 1
    for (const test of module.children.allTests()) {
      const result = test.result()
      if (result.state === 'passed') summary.passed += 1
      else if (result.state === 'failed' || result.state === 'pending') summary.failed += 1
      else if (!insideBroken(test.parent)) {
        summary.skips.push({ test: `${module.relativeModuleId} > ${test.fullName}`, reason: result.note })
      }
    }
  }
  return summary
}

function isBroken(place: TestModule | TestSuite): boolean {
  return place.errors().length > 0
}

function insideBroken(place: TestModule | TestSuite): boolean {
  return isBroken(place) || (place.type === 'suite' && insideBroken(place.parent))
}
