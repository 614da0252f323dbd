import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { bridgePrefix } from '@toolhaven/testing/testbed/bridge'
import { markProcess } from './mark.ts'
import { leftoversIn, makeScratch, removeScratch, type Scratch } from './scratch.ts'

function openScratch(): Scratch {
  const scratch = makeScratch()
  onTestFinished(() => removeScratch(scratch))
  return scratch
}

test('a stage that cleans up after itself leaves nothing', () => {
  expect(leftoversIn(openScratch())).toEqual([])
})

test('a file and a folder are found', () => {
  const scratch = openScratch()
  mkdirSync(path.join(scratch.folder, 'thv-npm-1'))
  writeFileSync(path.join(scratch.folder, 'log'), '')
  expect(leftoversIn(scratch)).toEqual([expect.stringContaining('log'), expect.stringContaining('thv-npm-1')])
})

test.for([
  { how: 'its arguments', args: (folder: string) => [path.join(folder, 'socket')], env: () => ({}), cwd: () => '/' },
  { how: 'its environment', args: () => [], env: (folder: string) => ({ TMPDIR: folder }), cwd: () => '/' },
  { how: 'its working folder', args: () => [], env: () => ({}), cwd: (folder: string) => folder },
])('a process that mentions the folder in $how is found, and ended', async ({ args, env, cwd }) => {
  const scratch = openScratch()
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)', ...args(scratch.folder)], {
    env: env(scratch.folder),
    cwd: cwd(scratch.folder),
    stdio: 'ignore',
  })
  await once(child, 'spawn')
  expect(leftoversIn(scratch)).toEqual([expect.stringContaining(`process ${child.pid}: `)])
  removeScratch(scratch)
  const [, signal] = await once(child, 'exit')
  expect(signal).toBe('SIGKILL')
  expect(existsSync(scratch.folder)).toBe(false)
})

test('a process that keeps nothing of its parent but lives on is found, and ended', async (context) => {
  const scratch = openScratch()
  const { mark } = scratch
  if (mark === undefined) return context.skip('this machine has no oom_score_adj')
  // A shell that waits until it is marked, then leaves a process behind that no word leads to.
  const shell = spawn('sh', ['-c', 'read ready; env -i setsid sleep 1000 >/dev/null 2>&1 & echo $!'], { cwd: '/' })
  await once(shell, 'spawn')
  markProcess(shell.pid ?? 0, mark)
  shell.stdin.end('\n')
  const [said] = await once(shell.stdout, 'data')
  await once(shell, 'exit')
  expect(leftoversIn(scratch)).toEqual([expect.stringContaining(`process ${String(said).trim()}: `)])
  removeScratch(scratch)
  await expect.poll(() => existsSync(`/proc/${String(said).trim()}`)).toBe(false)
})

test('a network bridge of the testbed is found, and removed', (context) => {
  if (process.getuid?.() !== 0) context.skip('only root makes network bridges')
  const scratch = openScratch()
  const name = `${bridgePrefix(scratch.folder)}abcdef`
  expect(spawnSync('ip', ['link', 'add', 'name', name, 'type', 'bridge']).status).toBe(0)
  expect(leftoversIn(scratch)).toEqual([`the network bridge ${name}`])
  removeScratch(scratch)
  expect(existsSync(`/sys/class/net/${name}`)).toBe(false)
})
