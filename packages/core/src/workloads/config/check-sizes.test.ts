import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { startFakeDaemon } from '@toolhaven/fakes/fake-daemon'
import { checkSizes } from './check-sizes.ts'
import { createWorkload } from '../operations/create.ts'

const LONGEST = 'x'.repeat(128 * 1024 - 1)

test('the longest argument that is taken is the longest that a program can be given', () => {
  checkSizes([LONGEST], {})
  expect(execFileSync('/bin/sh', ['-c', 'echo ${#1}', 'sh', LONGEST], { encoding: 'utf8' })).toBe(`${LONGEST.length}\n`)
  expect(() => checkSizes([`${LONGEST}x`], {})).toThrow('cmd_arguments[0] has 131072 bytes')
  expect(() => execFileSync('/bin/sh', ['-c', ':', `${LONGEST}x`])).toThrow('E2BIG')
})

test('a variable counts with its name, and in bytes', () => {
  checkSizes([], { A: LONGEST.slice(2) })
  expect(() => checkSizes([], { A: LONGEST.slice(1) })).toThrow('the variable A has 131072 bytes')
  expect(() => checkSizes([], { A: 'é'.repeat(65_536) })).toThrow('the variable A has 131074 bytes')
})

test('what is too long together is refused', () => {
  expect(() => checkSizes(Array<string>(9).fill(LONGEST), {})).toThrow(/together|arguments and variables have/)
})

test('is refused when the workload is created, and nothing is stored', async () => {
  using fake = await startFakeDaemon()
  const { workloads } = fake.daemon
  const body = { name: 'a', image: 'npx://server@1.0.0', cmd_arguments: ['x', `${LONGEST}x`] }
  await expect(createWorkload(workloads, body)).rejects.toMatchObject({
    code: 'invalid',
    message: expect.stringContaining('cmd_arguments[1]'),
  })
  expect(workloads.book.find('a')).toBeUndefined()
})
