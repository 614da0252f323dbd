import { rotationFrom, sample } from '@toolhaven/testing/rotation'
import { rotationInside } from '@toolhaven/testing/turns'
import { describe, expect, it } from 'vitest'
import { faultsOf } from './src/report.ts'
import { runWays } from './src/run-ways.ts'
import { SUITE_RUNS } from './src/suites.ts'

/** For each revision, what a proxy gets wrong first: messages during a call, and questions to the client. */
const SAMPLE = {
  '2025-11-25': ['tools-call-elicitation', 'tools-call-with-progress'],
  '2026-07-28': ['input-required-result-multi-round', 'tools-call-with-progress'],
} as const

const { full: isFull } = rotationFrom(process.env)

describe.each(sample(SUITE_RUNS, 1, rotationInside(import.meta.url)))(
  'suite $name of the protocol at $revision',
  (run) => {
    it('finds the gateway to answer as the server behind it', { timeout: 1_800_000 }, async () => {
      const rows = isFull ? await runWays(run) : await runWays(run, ['stdio'], SAMPLE[run.revision])
      expect(faultsOf(rows)).toEqual([])
      expect(rows.length).toBeGreaterThanOrEqual(2)
    })
  },
)
