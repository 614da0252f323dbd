import type { ExpectedSkip } from '@toolhaven/testing/expected-skips'

export interface Skip {
  /** `file > group > test` */
  test: string
  reason: string | undefined
}

/** The skips that fail the run: always those without a reason, and with `strict` those that nobody expects. */
export function unexpectedSkips(skips: readonly Skip[], expected: readonly ExpectedSkip[], strict: boolean): Skip[] {
  return skips.filter(({ test, reason }) => {
    if (reason === undefined || reason.trim() === '') return true
    return strict && !expected.some((entry) => entry.where.test(test) && entry.reason.test(reason))
  })
}
