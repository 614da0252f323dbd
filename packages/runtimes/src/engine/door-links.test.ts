import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createDoorLinks } from './door-links.ts'

it('know the ports of the doors that they lead to, as long as they are open', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'thv-doors-'))
  await using links = createDoorLinks()
  await links.open('thv-a', { port: 49_152, token: '', outward: [], hasWayIn: false }, join(folder, 'h'))
  expect([links.isOpenAt(49_152), links.isOpenAt(49_153)]).toEqual([true, false])
  await links.close('thv-a')
  expect(links.isOpenAt(49_152)).toBe(false)
  await rm(folder, { recursive: true })
})
