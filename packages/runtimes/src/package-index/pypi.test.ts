import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startPythonIndex } from '@toolhaven/testing/testbed/python-index'
import { latestPythonVersion } from './pypi.ts'
import { findPython } from './python.ts'

const NAME = 'thv-confused'
const file = (version: string) => ({ name: `thv_confused-${version}-py3-none-any.whl`, content: Buffer.alloc(0) })
const signal = () => AbortSignal.timeout(60_000)

// Pip is started five times, which is slow on a busy machine.
test('a version comes from the index that uv is told of, and from no other', { timeout: 240_000 }, async (context) => {
  const { PATH } = process.env
  if (!(await findPython({ PATH }, signal())).hasPip) return context.skip('this Python has no pip')
  await using stack = new AsyncDisposableStack()
  const homeDir = await mkdtemp(join(tmpdir(), 'thv-pypi-'))
  stack.defer(() => rm(homeDir, { recursive: true, force: true }))
  const [mine, theirs, empty] = await Promise.all(['', '', ''].map(() => startPythonIndex('127.0.0.1')))
  if (!mine || !theirs || !empty) throw new Error('three were started')
  for (const index of [mine, theirs, empty]) stack.use(index)
  mine.files.set(NAME, file('1.0.0'))
  theirs.files.set(NAME, file('9.0.0'))
  const chosen = join(homeDir, 'pip.conf')
  await writeFile(chosen, `[global]\nindex-url = ${theirs.url}\nextra-index-url = ${theirs.url}\n`)
  const look = (env: Record<string, string>) =>
    latestPythonVersion({ env: { PATH, PIP_CONFIG_FILE: chosen, ...env }, homeDir }, NAME, signal())

  expect(await look({ UV_DEFAULT_INDEX: mine.url })).toBe('1.0.0')
  expect(await look({ UV_INDEX_URL: mine.url, PIP_INDEX_URL: theirs.url })).toBe('1.0.0')
  expect(theirs.requests).toEqual([])
  // The first index that has the package supplies it, whatever the others have.
  expect(await look({ UV_INDEX: `empty=${empty.url} mine=${mine.url}`, UV_DEFAULT_INDEX: theirs.url })).toBe('1.0.0')
  expect(empty.requests).not.toEqual([])
  expect(theirs.requests).toEqual([])
  expect(await look({})).toBe('9.0.0')
})
