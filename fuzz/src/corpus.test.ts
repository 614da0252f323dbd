import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { readCorpus } from './corpus.ts'
import { TARGETS } from './targets.ts'

/** One target starts a daemon, which a busy machine needs minutes for. */
const PATIENCE_MS = 600_000

describe.each(TARGETS.map((target) => [target.name, target] as const))('every kept input of %s', (name, target) => {
  it('brings out no fault', { timeout: PATIENCE_MS }, async (context) => {
    if (name === 'api')
      await promisify(execFile)('unshare', ['--net', '--mount', 'true']).catch(() =>
        context.skip('network namespaces cannot be made here'),
      )
    const corpus = await readCorpus(name)
    // There is no reason to start a daemon.
    if (corpus.size === 0) return
    await using open = await target.open([...corpus.values()])
    for (const [file, input] of corpus) {
      const outcome = await open.check(input).catch((error: unknown) => {
        throw new Error(`fuzz/corpus/${name}/${file}: ${String(error)}`, { cause: error })
      })
      expect(outcome).not.toBe('')
    }
  })
})
