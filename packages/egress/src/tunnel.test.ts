import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { portOf } from './test-port-of.ts'
import { openTunnel } from './tunnel.ts'

const MIB = 1024 * 1024

async function listening(server: Server, where: string | number): Promise<void> {
  server.listen(where)
  await once(server, 'listening')
}

it('brings what a place said before it went, however late it is read', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'thv-tunnel-'))
  const said = Buffer.alloc(8 * MIB, 'an answer ')
  const place = createServer((socket) => socket.end(said))
  await listening(place, 0)
  const gone = Promise.withResolvers<void>()
  // All of it fits into what waits for the workload, so that the place is through long before anything is read.
  const gate = createServer({ allowHalfOpen: true, highWaterMark: 16 * MIB }, (workload) => {
    const remote = connect({ port: portOf(place), allowHalfOpen: true })
    remote.once('close', () => gone.resolve())
    openTunnel(workload, remote, {
      place: { host: 'api.example.com', port: 443 },
      rules: { allowHost: [], allowPort: [], allowAll: true },
      onContents: () => undefined,
    })
  })
  const path = join(folder, 't.sock')
  await listening(gate, path)
  try {
    const workload = connect({ path, allowHalfOpen: true })
    workload.end('a question')
    await gone.promise
    const heard: Buffer[] = []
    for await (const chunk of workload) heard.push(chunk)
    expect(Buffer.concat(heard).equals(said)).toBe(true)
  } finally {
    gate.close()
    place.close()
    await rm(folder, { recursive: true })
  }
})
