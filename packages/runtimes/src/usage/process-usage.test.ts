import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { processUsage } from './process-usage.ts'

const MIB = 2 ** 20

test('a process is measured with its children, and not at all once it is gone', async () => {
  const child = `const held = Buffer.alloc(${64 * MIB}, 1); setInterval(() => held.length, 60000); console.log('up')`
  const parent = `while (process.cpuUsage().user < 300000);
    require('child_process').spawn(process.execPath, ['-e', ${JSON.stringify(child)}], { stdio: 'inherit' })`
  const running = spawn(process.execPath, ['-e', parent], { stdio: ['ignore', 'pipe', 'inherit'], detached: true })
  try {
    await once(running.stdout, 'data')
    const seen = await processUsage(running.pid ?? 0)
    expect(seen?.memoryBytes).toBeGreaterThan(64 * MIB)
    expect(seen?.memoryBytes).toBeLessThan(1024 * MIB)
    expect(seen?.cpuMs).toBeGreaterThan(200)
    // Two programs, and Node has some threads.
    expect(seen?.pids).toBeGreaterThan(2)
  } finally {
    const gone = once(running, 'exit')
    process.kill(-(running.pid ?? 0), 'SIGKILL')
    await gone
  }
  expect(await processUsage(running.pid ?? 0)).toBeUndefined()
})

test('a system that does not tell says so', async () => {
  expect(await processUsage(1, '/nowhere')).toEqual({ notMeasured: expect.stringContaining('does not report') })
})
