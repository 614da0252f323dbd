import { mkdtempDisposable, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { until } from '@toolhaven/testing/testbed/until'
import { openShell } from './shell.ts'

const PATH = process.env['PATH'] ?? ''

async function inFolder(use: (folder: string, shell: ReturnType<typeof openShell>) => Promise<void>): Promise<void> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'thv-shell-test-'))
  await using shell = openShell({ cwd: folder.path, env: { PATH } })
  await use(folder.path, shell)
}

test('both streams are read in the order they were written, and the exit code is told', () =>
  inFolder(async (_folder, shell) => {
    expect(await shell.run('echo one; echo two >&2; echo three; exit 3')).toEqual({
      code: 3,
      output: 'one\ntwo\nthree\n',
    })
  }))

test('the first command that fails ends the step, also in a pipe', () =>
  inFolder(async (_folder, shell) => {
    expect(await shell.run('false | cat\necho not reached')).toEqual({ code: 1, output: '' })
  }))

test('files stay from step to step, variables do not', () =>
  inFolder(async (_folder, shell) => {
    await shell.run('echo kept > note; export LOST=yes')
    expect(await shell.run('cat note; echo "${LOST:-gone}"')).toMatchObject({ output: 'kept\ngone\n' })
  }))

test('a program left in the background does not hold the step up and is ended with the shell', async () => {
  let pid = 0
  await inFolder(async (folder, shell) => {
    await shell.run('sleep 600 & echo $! > pid')
    pid = Number(await readFile(join(folder, 'pid'), 'utf8'))
    expect(isAlive(pid)).toBe(true)
  })
  await until('the program to end', () => !isAlive(pid))
})

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
