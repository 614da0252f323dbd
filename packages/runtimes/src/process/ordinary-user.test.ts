import { spawn } from 'node:child_process'
import { chmod, chown, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { collectOutput } from '../package-index/run-program.ts'

const NOBODY = 65534
/** Prevents hanging, as in the configuration of all tests: a busy machine must not fail a correct one. */
const DEADLINES = { testTimeout: 60_000, hookTimeout: 120_000 }
const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))

test('all that holds for a daemon of root holds for one of an ordinary user', { timeout: 600_000 }, async (context) => {
  if (process.getuid?.() !== 0)
    return context.skip('this run is an ordinary user’s already: the files beside this one show it')
  const home = await mkdtemp(join(tmpdir(), 'thv-ordinary-'))
  try {
    await chmod(home, 0o755)
    const config = join(home, 'vitest.config.mjs')
    const include = ['sandbox', 'process-runtime'].map((name) => `packages/runtimes/src/process/${name}.test.ts`)
    await writeFile(
      config,
      `export default ${JSON.stringify({ root: ROOT, cacheDir: join(home, 'cache'), test: { include, pool: 'forks', ...DEADLINES } })}`,
    )
    await chown(home, NOBODY, NOBODY)
    const vitest = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs')
    const child = spawn(
      process.execPath,
      [
        vitest,
        'run',
        '--config',
        config,
        '--configLoader',
        'runner',
        '--reporter',
        'json',
        '--outputFile',
        join(home, 'report.json'),
      ],
      {
        cwd: ROOT,
        uid: NOBODY,
        gid: NOBODY,
        env: { HOME: home, TMPDIR: home, PATH: process.env['PATH'] },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    )
    const { stderr, exitCode } = await collectOutput(child, () => child.kill(), AbortSignal.timeout(280_000))
    const report = JSON.parse(await readFile(join(home, 'report.json'), 'utf8'))
    const failed = report.testResults.flatMap(
      (file: { assertionResults: { status: string; fullName: string; failureMessages: string[] }[] }) =>
        file.assertionResults
          .filter((result) => result.status === 'failed')
          .map((result) => [result.fullName, ...result.failureMessages]),
    )
    expect(failed).toEqual([])
    expect(exitCode, stderr).toBe(0)
    expect(report.numPassedTests).toBeGreaterThan(40)
  } finally {
    await rm(home, { recursive: true, force: true })
  }
})
