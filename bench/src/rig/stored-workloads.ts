import { readFile, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { type Home, startDaemon } from './home.ts'
import type { Rig } from './rig.ts'
import { freePorts } from './server-process.ts'
import { apiOf, untilAllRun } from './workloads.ts'

const recordFile = z.looseObject({
  record: z.looseObject({
    asked: z.looseObject({}),
    config: z.looseObject({ name: z.string() }),
    handle: z.unknown().optional(),
  }),
})

/** Leaves a home with that many stored workloads: one is made by a daemon, the others are copies of its file. */
export async function storeWorkloads(rig: Rig, home: Home, count: number): Promise<void> {
  {
    await using daemon = await startDaemon(home)
    const api = apiOf(daemon)
    await api.call('createWorkload', { body: { name: 'stored-0', image: rig.fixture.image } })
    await untilAllRun(api, 1)
  }
  const first = recordFile.parse(JSON.parse(await readFile(join(home.workloadsDir, 'stored-0.json'), 'utf8')))
  const ports = await freePorts(count)
  for (const [index, port] of ports.entries()) {
    const name = `stored-${index}`
    const { handle: _gone, ...record } = first.record
    const copy = {
      ...first,
      record: { ...record, port, asked: { ...record.asked, name }, config: { ...record.config, name, port } },
    }
    await writeFile(join(home.workloadsDir, `${name}.json`), JSON.stringify(copy), { mode: 0o600 })
  }
}

export async function wantAll(home: Home, wanted: 'running' | 'stopped'): Promise<void> {
  for (const file of await readdir(home.workloadsDir)) {
    const path = join(home.workloadsDir, file)
    const stored = recordFile.parse(JSON.parse(await readFile(path, 'utf8')))
    await writeFile(path, JSON.stringify({ ...stored, record: { ...stored.record, wanted } }), { mode: 0o600 })
  }
}
