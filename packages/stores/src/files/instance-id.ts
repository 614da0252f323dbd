import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { Logger } from '@toolhaven/core/ports/logger'
import * as z from 'zod'
import { ensurePrivateFolder } from './private-folder.ts'
import { newerFormat, readRecordFile, writeRecordFile, type RecordFormat } from './record-file.ts'
import { setAside } from './set-aside.ts'

type InstanceId = { id: string }

const kind: RecordFormat<InstanceId> = {
  schema: z.strictObject({ id: z.string().regex(/^[0-9a-f]{16}$/) }),
  format: 1,
  migrations: {},
}

/** The name of this installation on an engine, created once per state folder. Call it as the folder's owner. */
export async function loadInstanceId(options: { stateDir: string; logger: Logger }): Promise<string> {
  await ensurePrivateFolder(options.stateDir)
  const path = join(options.stateDir, 'instance.json')
  const reading = await readRecordFile(path, kind)
  if (reading.state === 'good') return reading.record.id
  if (reading.state === 'newer') throw newerFormat(path, reading.format)
  if (reading.state === 'corrupt') {
    const aside = await setAside(path, Date.now())
    options.logger.error(
      'the id of this installation was damaged, so a new one is made; containers of the old id are left alone',
      {
        file: path,
        aside,
        why: reading.why,
      },
    )
  }
  const id = randomBytes(8).toString('hex')
  await writeRecordFile(path, { id }, kind)
  return id
}
