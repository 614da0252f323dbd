import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { connectOverTcp } from './dial.ts'
import { Download } from './download.ts'
import { portOf } from '../test/support/port-of.ts'
import { openTunnel } from './tunnel.ts'

async function listening(server: Server, where: string | number): Promise<void> {
  server.listen(where)
  await once(server, 'listening')
}

/** A tunnel to a place that says this and goes. */
async function tunnelTo(said: Buffer) {
  const folder = await mkdtemp(join(tmpdir(), 'thv-tunnel-'))
  const place = createServer((socket) => socket.end(said))
  await listening(place, 0)
  const gone = Promise.withResolvers<void>()
  const gate = createServer({ allowHalfOpen: true }, (workload) => {
    const download = new Download()
    const remote = connectOverTcp('127.0.0.1', portOf(place), download.onread)
    remote.once('close', () => gone.resolve())
    openTunnel(workload, remote, {
      place: { host: 'api.example.com', port: 443 },
      rules: { allowHost: [], allowPort: [], allowAll: true },
      download,
      onContents: () => undefined,
    })
  })
  const path = join(folder, 't.sock')
  await listening(gate, path)
  return {
    path,
    gone: gone.promise,
    [Symbol.asyncDispose]: async () => {
      gate.close()
      place.close()
      await rm(folder, { recursive: true })
    },
  }
}

it('brings what a place said before it went, however late it is read', async () => {
  // All of it fits into what the system holds for the workload, so that the place is gone before anything is read.
  const said = randomBytes(100 * 1024)
  await using tunnel = await tunnelTo(said)
  const workload = connect({ path: tunnel.path, allowHalfOpen: true })
  workload.end('a question')
  await tunnel.gone
  expect((await buffer(workload)).equals(said)).toBe(true)
})

it('brings much to a slow reader as it was said', async () => {
  const said = randomBytes(8 * 1024 * 1024)
  await using tunnel = await tunnelTo(said)
  const workload = connect({ path: tunnel.path, allowHalfOpen: true })
  workload.end('a question')
  const heard: Buffer[] = []
  for await (const chunk of workload) {
    heard.push(chunk)
    if (heard.length % 10 === 0) await setTimeout(5)
  }
  expect(Buffer.concat(heard).equals(said)).toBe(true)
})
