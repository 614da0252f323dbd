import { createServer } from 'node:http'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { LABELS } from '@toolhaven/core/ports/runtime'
import { createDoorLinks } from '../engine/door-links.ts'
import { createEngineClient } from '../engine/engine-client.ts'
import { buildSweeper } from './build-leftovers.ts'

test('what builds left is looked for until it could be removed once, and never beside a build', async () => {
  await using stack = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'thv-sweep-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  const path = join(folder, 's')
  let looks = 0
  let isBroken = true
  const engine = createServer((request, response) => {
    if (request.url?.includes('/containers/json')) looks += 1
    response.writeHead(isBroken ? 500 : 200, { 'content-type': 'application/json' }).end(isBroken ? '{}' : '[]')
  })
  await new Promise<void>((done) => engine.listen(path, done))
  stack.defer(() => void engine.close())
  const client = createEngineClient('docker', { kind: 'unix', path })
  const links = createDoorLinks()
  const instances = { client, socketDir: folder, links, engineFilters: async () => 0, unfiltered: new Set<string>() }
  const sweep = buildSweeper(instances, 'docker')
  const look = (building: string[]) =>
    sweep({ [LABELS.instance]: 'mine' }, new Set(building), AbortSignal.timeout(10_000)).catch(() => undefined)
  await look(['thvfetch-x'])
  expect(looks).toBe(0)
  await look([])
  isBroken = false
  await look([])
  expect(looks).toBe(2)
  await look([])
  expect(looks).toBe(2)
})
