import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { startDaemon } from './src/daemon-process.ts'
import { matchOutput } from './src/documentation/match-output.ts'
import type { Step } from './src/documentation/parse-page.ts'
import { readFence } from './src/documentation/read-fence.ts'
import { runPage } from './src/documentation/run-page.ts'
import { makeHome } from './src/home.ts'

const LINES = (await readFile(new URL('../README.md', import.meta.url), 'utf8')).split('\n')
const [START, ...TOUR] = LINES.flatMap((_, at) => stepsAt(at))

test('the tour begins with what the daemon says when it is ready', async () => {
  expect(START?.command).toBe('npm start')
  await using home = await makeHome({ env: { THV_RUNTIME: 'process' } })
  await using daemon = await startDaemon(home, ['--host', 'localhost'])
  // The documentation is served by a program of its own, which has its own tests.
  const shown = START?.output?.text.replace(/^ {2}Docs .*$/m, '') ?? ''
  const said = daemon.output().replaceAll(`:${daemon.port}/`, ':8080/')
  expect(matchOutput(shown, said)).toBeUndefined()
})

test('the tour prints what the README shows', async () => {
  expect(TOUR.map(({ command }) => command)).toContain('thv run time')
  // The reader has the client that the tour connects.
  const steps = [{ line: 1, command: 'mkdir -p ~/.cursor', exit: 0 }, ...TOUR]
  await runPage('README.md', { frontMatter: {}, steps, faults: [] }, { folder: '' })
}, 600_000)

/** A console block has commands after a dollar sign, each followed by its output. */
function stepsAt(at: number): Step[] {
  const fence = readFence(LINES, at)
  if (fence?.language !== 'console') return []
  const steps: Step[] = []
  for (const [index, text] of fence.text.split('\n').entries()) {
    const line = at + 2 + index
    const last = steps.at(-1)
    // From the root of the repository npx finds the program that the tests run, too.
    if (text.startsWith('$ ')) steps.push({ line, command: text.slice(2).replace(/^npx thv/, 'thv'), exit: 0 })
    else if (last) last.output = { line: last.line, text: `${last.output ? `${last.output.text}\n` : ''}${text}` }
  }
  return steps
}
