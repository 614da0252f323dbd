import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { takeOver } from './take-over.ts'

test('a daemon in another container is not asked to end: here its process id is that of another process', async () => {
  const stateDir = await mkdtemp(join(tmpdir(), 'thv-take-over-'))
  const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
  const daemon = createServer((socket) => socket.end()).listen(join(stateDir, 'daemon.sock'))
  onTestFinished(async () => {
    other.kill('SIGKILL')
    daemon.close()
    await rm(stateDir, { recursive: true })
  })
  await Promise.all([once(other, 'spawn'), once(daemon, 'listening')])
  const lock = {
    ...{ format: 1, pid: other.pid, started: 'elsewhere', pidNamespace: 'pid:[1]' },
    ...{ socketPath: join(stateDir, 'daemon.sock'), token: '0'.repeat(32) },
  }
  await chmod(stateDir, 0o700)
  await writeFile(join(stateDir, 'lock'), JSON.stringify(lock), { mode: 0o600 })
  const checked = { isAsked: false }
  const checkBefore = async () => void (checked.isAsked = true)
  const taking = takeOver(stateDir, checkBefore, () => {})
  await expect(taking).rejects.toThrow('runs in another container')
  expect(checked.isAsked).toBe(false)
  expect(other.exitCode ?? other.signalCode).toBeNull()
})
