import { expect, test } from 'vitest'
import { parsePage } from './parse-page.ts'
import { runPage } from './run-page.ts'

const run = (...lines: string[]) => runPage('guides/page.md', parsePage(lines.join('\n')))

test('a page runs in the home and at the port that readers know', async () => {
  await run(
    ...['```bash run', 'pwd', 'echo ~', '```', '```text output', '/home/you/project', '/home/you', '```'],
    ...['{/* run: thv group create research */}', '```bash run', 'thv group list | grep research', '```'],
    ...['```bash run', 'curl -s http://localhost:8080/api/v1beta/version; echo http://localhost:8080', '```'],
    ...['```text output', '{"version":"…"}http://localhost:8080', '```'],
    ...['```bash run exit=3', 'thv rm ghost', '```'],
  )
})

test('a difference is told with page, line, what was expected and what came', async () => {
  const page = ['# Page', '', '```bash run', 'echo one; echo two', '```', '', '```text output', 'one', '', '2', '```']
  await expect(run(...page)).rejects.toThrow(
    'apps/website/docs/toolhaven/guides/page.md:10: expected: 2\n  got: two\n$ echo one; echo two\none\ntwo\n',
  )
})

test('another exit code is told with what was printed', async () => {
  await expect(run('', '```bash run', 'echo why; exit 4', '```')).rejects.toThrow(
    'guides/page.md:2: expected exit code 0, got 4\n$ echo why; exit 4\nwhy\n',
  )
})
