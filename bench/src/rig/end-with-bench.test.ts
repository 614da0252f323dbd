import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'

/** A program of the bench that has one of its own, and says which. */
const PROGRAM = `
const child = require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
process.once('SIGTERM', () => child.kill() && process.exit())
require('node:http').createServer((_request, response) => response.end(String(child.pid))).listen(process.argv[1], '127.0.0.1')`

const BENCH = `
import { freePort, startServer } from ${JSON.stringify(new URL('server-process.ts', import.meta.url).href)}
const port = await freePort()
const args = ['-e', process.argv[1], String(port)]
const server = await startServer({ command: process.execPath, args, env: {}, port, path: '/' })
const inner = await (await fetch(server.baseUrl)).text()
console.log(server.pid + ' ' + inner)
if (process.argv[2] === 'stays') setInterval(() => {}, 1000)
else await server[Symbol.asyncDispose]()
process.stdout.end()`

function startBench(how: 'stays' | 'ends') {
  const args = ['--input-type=module', '-e', BENCH, PROGRAM, how]
  return spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
}

/** Where process 1 does not wait for orphans, one that has ended stays as a zombie. */
const isRunning = (pid: number) => {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  return process.platform !== 'linux' || !isZombie(pid)
}

function isZombie(pid: number): boolean {
  try {
    return /^State:\s*Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return true
  }
}

it('the programs of a bench that is killed end, and so does what they started', async () => {
  const bench = startBench('stays')
  const ended = once(bench, 'exit')
  const pids = (await text(bench.stdout)).trim().split(' ').map(Number)
  try {
    expect(pids.map(isRunning)).toEqual([true, true])
    bench.kill('SIGKILL')
    await ended
    await expect.poll(() => pids.some(isRunning)).toBe(false)
  } finally {
    for (const pid of pids.filter(isRunning)) process.kill(pid, 'SIGKILL')
  }
})

it('a bench that has ended its programs ends on its own', async () => {
  const bench = startBench('ends')
  bench.stdout.resume()
  expect(await once(bench, 'exit')).toEqual([0, null])
})
