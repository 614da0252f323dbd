import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { PipeChannel } from './pipe-channel.ts'

const LARGE = [Buffer.alloc(1024 * 1024, 'x')]

function connected(program: string) {
  const child = spawn(process.execPath, ['-e', program], { stdio: ['pipe', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const channel = new PipeChannel()
  channel.connect(child)
  return { channel, child }
}

test('who waited for room leaves nothing behind', async () => {
  const { channel, child } = connected('process.stdin.resume()')
  await channel.write(LARGE)
  const listeners = () => child.stdin.eventNames().map((name) => [name, child.stdin.listenerCount(name)])
  const before = listeners()
  for (let round = 0; round < 20; round++) await channel.write(LARGE)
  expect(listeners()).toEqual(before)
})

test.each([
  ['the server ends', (channel: PipeChannel) => channel.end()],
  ['its process is gone', (_channel: PipeChannel, kill: () => void) => kill()],
])('who waits for room is told when %s', async (_what, end) => {
  const { channel, child } = connected('setInterval(() => {}, 1000)')
  const writing = channel.write(LARGE)
  end(channel, () => child.kill('SIGKILL'))
  await expect(writing).rejects.toThrow('The server has ended')
  await expect(channel.write('more')).rejects.toThrow('The server has ended')
  if (child.exitCode === null && child.signalCode === null) {
    child.kill('SIGKILL')
    await once(child, 'close')
  }
})
