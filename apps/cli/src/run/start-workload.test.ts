import { once } from 'node:events'
import { createServer } from 'node:http'
import { expect, test } from 'vitest'
import { run } from '../commands/run.ts'
import { createDaemonClient } from '../connect/daemon-client.ts'
import { createOutput } from '../output/output.ts'
import { buildProgram } from '../parse.ts'
import { loginOf } from './start-workload.ts'

const FLAGS = { remoteAuthTimeout: 300, remoteAuthBrowser: true }

test('a run configuration says how long a login is waited for, unless a flag does', () => {
  const wait = (timeout: string, flags = FLAGS) => loginOf(flags, { remote_auth_config: { timeout } }).timeoutMs
  expect([wait('5m'), wait('1h30m'), wait('1.5s'), wait('250ms')]).toEqual([300_000, 5_400_000, 1500, 250])
  expect(wait('5m', { ...FLAGS, remoteAuthTimeout: 10 })).toBe(10_000)
  expect(loginOf(FLAGS).timeoutMs).toBe(300_000)
})

test('a run configuration with skipBrowser opens none', () => {
  expect(loginOf(FLAGS, { remote_auth_config: { skipBrowser: true } }).openBrowser).toBe(false)
  expect(loginOf(FLAGS, { remote_auth_config: { skipBrowser: false } }).openBrowser).toBe(true)
  expect(loginOf({ ...FLAGS, remoteAuthBrowser: false }).openBrowser).toBe(false)
})

test('Ctrl-C right after the workload was created says that it is still starting', async () => {
  const interrupt = new AbortController()
  // Whether there is another one of the same server is asked then, and this daemon never answers that.
  const server = createServer((request, response) => {
    if (request.method === 'GET') interrupt.abort(new Error('interrupted'))
    else response.setHeader('content-type', 'application/json').end('{"name":"time-2","port":1}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  let said = ''
  const out = createOutput({ stdout: { write: () => {} }, stderr: { write: (text) => void (said += text) }, env: {} })
  const daemon = async () => createDaemonClient({ host: '127.0.0.1', port: Object(server.address()).port })
  const context = { daemon, out, env: { HOME: '/' }, cwd: '/', debug: false, signal: interrupt.signal }
  const program = buildProgram([run], {
    groups: {},
    run: (command, input) => command.run(context, input),
    writeErr: () => undefined,
  })
  try {
    await expect(program.parseAsync(['node', 'thv', 'run', 'time'])).rejects.toThrow()
  } finally {
    server.closeAllConnections()
    server.close()
  }
  expect(said).toBe('time-2 is still starting; "thv rm time-2" removes it.\n')
})
