import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createGateway } from '@toolhaven/gateway'
import { freePort } from '@toolhaven/testing/free-port'
import { silentLogger } from '@toolhaven/fakes/memory-stores'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createSessionFiles } from './session-files.ts'

let dir = ''
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'thv-sessions-'))
})
afterEach(() => rm(dir, { recursive: true, force: true }))

const quiet = () => {}
const makeGateway = () =>
  createGateway({
    logger: silentLogger,
    events: { onBackendLost: quiet, onOutput: quiet, onLoginNeeded: quiet, onLoggedIn: quiet },
    sessionStore: createSessionFiles(dir),
  })

test.each<[string, (file: string) => Promise<unknown>]>([
  ['a folder', (file) => mkdir(file)],
  ['a file that others may write', (file) => writeFile(file, '{}').then(() => chmod(file, 0o666))],
  ['no JSON', (file) => writeFile(file, '{', { mode: 0o600 })],
])('a workload opens, stops and gives its port back when its stored sessions are %s', async (_what, make) => {
  await make(join(dir, 'time.json'))
  const port = await freePort()
  const spec = { name: 'time', host: '127.0.0.1', port, transport: 'stdio', proxyMode: 'streamable-http' } as const
  const gateway = makeGateway()
  await gateway.open(spec)
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.destroy()
  await gateway.close('time')
  await gateway.shutdown(0)
  const next = createServer().listen(port, '127.0.0.1')
  await once(next, 'listening')
  next.close()
  expect((await readdir(dir)).every((name) => name === 'time.json')).toBe(true)
})
