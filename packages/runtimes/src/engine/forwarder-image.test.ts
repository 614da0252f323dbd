import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createEngineClient } from './engine-client.ts'
import { forwarderImageFinder } from './forwarder-image.ts'

test('an engine that never takes the image of the forwarder is named, with how long it had, and asked again later', async () => {
  await using stack = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'thv-forwarder-wait-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  const [program, filter] = [join(folder, 'forwarder'), join(folder, 'filter')]
  for (const path of [program, filter]) await writeFile(path, 'x')
  let isStuck = true
  let isThere = false
  const engine = createServer((request, response) => {
    if (request.url?.includes('/images/create')) {
      isThere = !isStuck
      if (isStuck) return
    }
    if (isThere) response.end(JSON.stringify({ Id: 'sha256:1' }))
    else response.writeHead(404).end('{"message":"no such image"}')
  })
  stack.defer(() => {
    engine.closeAllConnections()
    engine.close()
  })
  const path = join(folder, 's')
  engine.listen(path)
  await once(engine, 'listening')
  const client = createEngineClient('Docker', { kind: 'unix', path })
  const find = forwarderImageFinder(client, async () => ({ folder, program, filter }), 2_000)
  await expect(find(AbortSignal.timeout(30_000))).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringMatching(/^Docker at \S+ did not take the image of the forwarder, .* within 2 s/),
  })
  isStuck = false
  await expect(find(AbortSignal.timeout(30_000))).resolves.toBe('sha256:1')
})
