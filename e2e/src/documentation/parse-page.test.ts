import { expect, test } from 'vitest'
import { missingDeclaration, parsePage } from './parse-page.ts'

const page = (...lines: string[]) => parsePage(lines.join('\n'))
const texts = (faults: readonly { line: number; text: string }[]) => faults.map(({ line, text }) => `${line}: ${text}`)

test('runnable blocks and hidden steps are taken in page order with their lines', () => {
  const { steps, faults } = page(
    ...['---', 'title: A page', '---', '', '{/* run: mkdir notes */}', ''],
    ...['```bash run', 'thv list', 'thv version', '```', '', '```bash run exit=3', 'thv rm ghost', '```'],
  )
  expect(steps).toEqual([
    { line: 5, command: 'mkdir notes', exit: 0 },
    { line: 7, command: 'thv list\nthv version', exit: 0 },
    { line: 12, command: 'thv rm ghost', exit: 3 },
  ])
  expect(faults).toEqual([])
})

test('the output block after a runnable block belongs to it, in any language', () => {
  const { steps } = page('```bash run', 'thv list', '```', '', '```json output title="answer"', '{}', '```')
  expect(steps).toEqual([{ line: 1, command: 'thv list', exit: 0, output: { line: 5, text: '{}' } }])
})

test('an output block without a runnable block directly before it is a fault', () => {
  const { faults } = page('```bash run', 'true', '```', 'Words.', '```text output', 'x', '```', '```text output', '```')
  expect(texts(faults)).toEqual([
    '5: an output block must follow its `bash run` block at once',
    '8: an output block must follow its `bash run` block at once',
  ])
})

test('blocks in lists and tabs lose their indentation, longer fences hold shorter ones', () => {
  const { steps } = page(
    '1. Do:',
    '',
    '   ```bash run',
    '   thv list \\',
    '     --all',
    '   ```',
    '````md',
    '```bash run',
    '```',
    '````',
  )
  expect(steps).toEqual([{ line: 3, command: 'thv list \\\n  --all', exit: 0 }])
})

test('on a runnable page every block with a thv command says whether it runs', () => {
  const { faults } = page(
    ...['```bash run', 'true', '```', '```bash', 'thv serve', '```', '```bash norun=endless', 'thv serve', '```'],
    ...['```bash norun=lazy', 'sudo thv serve', '```', '```bash', 'npm start', '```', '```text', 'thv list', '```'],
  )
  expect(texts(faults)).toEqual([
    '4: a block with a thv command must carry `run` or `norun=<reason>`',
    expect.stringContaining('10: norun=lazy is not one of account'),
  ])
})

test('a page without runnable blocks shows commands freely', () => {
  expect(page('```bash', 'thv list', '```').faults).toEqual([])
})

test('an exit code that is not a number is a fault', () => {
  expect(texts(page('```bash run exit=no', 'true', '```').faults)).toEqual(['1: exit must be a number, not no'])
})

test('front matter is read with and without quotes', () => {
  const { frontMatter } = page('---', 'platform: docker', "title: 'It''s'", 'sidebar:', '  - no', '---')
  expect(frontMatter).toMatchObject({ platform: 'docker', title: "It''s", sidebar: '' })
})

test('a page that runs nothing must say so and why', () => {
  const front = (...lines: string[]) => texts(missingDeclaration(page('---', ...lines, '---', 'Words.')))
  expect(front('runnable: none', 'runnable_reason: a list of links')).toEqual([])
  expect(front('runnable: none')).toEqual(['1: `runnable: none` needs a `runnable_reason`'])
  expect(front('runnable: all')).toEqual(['1: runnable can only be none, not all'])
  expect(front('title: A')).toEqual([expect.stringContaining('nothing here runs')])
})

test('a page that runs something must not say that it does not', () => {
  const block = ['```bash run', 'true', '```']
  expect(missingDeclaration(page(...block))).toEqual([])
  expect(missingDeclaration(page('---', 'runnable: none', 'runnable_reason: x', '---', ...block))).toHaveLength(1)
})
