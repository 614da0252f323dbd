import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Engine } from '@toolhaven/testing/testbed/engine'
import { engineMust } from '@toolhaven/testing/testbed/engine-http'

/** A socket to the engine that describes itself as the one of Docker Desktop; all else passes through untouched. */
export async function openVirtualMachine({ socketPath }: Engine): Promise<{ socketPath: string } & AsyncDisposable> {
  const folder = await mkdtemp(join(tmpdir(), 'thv-vm-'))
  const path = join(folder, 'd.sock')
  const sockets = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, (client) => {
    sockets.add(client.on('error', () => client.destroy()).once('close', () => sockets.delete(client)))
    client.once('data', (head) => {
      client.pause()
      if (String(head).startsWith('GET /info ')) return void describe(socketPath, client)
      const engine = connect({ path: socketPath, allowHalfOpen: true })
      engine.on('error', () => client.destroy()).write(head)
      client.once('close', () => engine.destroy())
      engine.once('close', () => client.destroy())
      client.pipe(engine).pipe(client)
    })
  }).listen(path)
  await once(server, 'listening')
  await chmod(folder, 0o755)
  await chmod(path, 0o666)
  return {
    socketPath: path,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function describe(socketPath: string, client: Socket): Promise<void> {
  const info: object = JSON.parse(await engineMust(socketPath, 'GET', '/info'))
  const body = JSON.stringify({ ...info, OperatingSystem: 'Docker Desktop' })
  const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n`
  client.end(`${head}${body}`)
}
