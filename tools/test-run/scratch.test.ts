import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { bridgePrefix } from '@toolhaven/testing/testbed/bridge'
import { leftoversIn, makeScratch, removeScratch } from './scratch.ts'

function scratchFolder(): string {
  const scratch = makeScratch()
  onTestFinished(() => removeScratch(scratch))
  return scratch
}

test('a stage that cleans up after itself leaves nothing', () => {
  expect(leftoversIn(scratchFolder())).toEqual([])
})

test('a file and a folder are found', () => {
  const scratch = scratchFolder()
  mkdirSync(path.join(scratch, 'thv-npm-1'))
  writeFileSync(path.join(scratch, 'log'), '')
  expect(leftoversIn(scratch)).toEqual([expect.stringContaining('log'), expect.stringContaining('thv-npm-1')])
})

test.for([
  { how: 'its arguments', args: (folder: string) => [path.join(folder, 'socket')], env: () => ({}), cwd: () => '/' },
  { how: 'its environment', args: () => [], env: (folder: string) => ({ TMPDIR: folder }), cwd: () => '/' },
  { how: 'its working folder', args: () => [], env: () => ({}), cwd: (folder: string) => folder },
])('a process that mentions the folder in $how is found, and ended', async ({ args, env, cwd }) => {
  const scratch = scratchFolder()
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)', ...args(scratch)], {
    env: env(scratch),
    cwd: cwd(scratch),
    stdio: 'ignore',
  })
  await once(child, 'spawn')
  expect(leftoversIn(scratch)).toEqual([expect.stringContaining(`process ${child.pid}: `)])
  removeScratch(scratch)
  const [, signal] = await once(child, 'exit')
  expect(signal).toBe('SIGKILL')
  expect(existsSync(scratch)).toBe(false)
})

test('a network bridge of the testbed is found, and removed', (context) => {
  if (process.getuid?.() !== 0) context.skip('only root makes network bridges')
  const scratch = scratchFolder()
  const name = `${bridgePrefix(scratch)}abcdef`
  expect(spawnSync('ip', ['link', 'add', 'name', name, 'type', 'bridge']).status).toBe(0)
  expect(leftoversIn(scratch)).toEqual([`the network bridge ${name}`])
  removeScratch(scratch)
  expect(existsSync(`/sys/class/net/${name}`)).toBe(false)
})
