import { join } from 'node:path'
import * as z from 'zod'
import type { EngineIdentity } from '@toolhaven/runtimes/discover'
import { atomicWrite } from '@toolhaven/stores/files/atomic-write'
import { readPrivateFile } from '@toolhaven/stores/files/private-file'

const FORMAT = 1
const schema = z.object({
  format: z.literal(FORMAT),
  engine: z
    .object({ kind: z.enum(['docker', 'podman']), address: z.object({ kind: z.literal('unix'), path: z.string() }) })
    .optional(),
})

/** The engine that the last daemon used. A damaged or foreign file counts as none. */
export async function recallEngine(stateDir: string): Promise<EngineIdentity | undefined> {
  try {
    return schema.parse(JSON.parse((await readPrivateFile(fileIn(stateDir))) ?? '')).engine
  } catch {
    return undefined
  }
}

/** Only engines on a socket of this machine: the address of another may hold its keys. */
export async function rememberEngine(stateDir: string, engine: EngineIdentity | undefined): Promise<void> {
  const local = engine?.address.kind === 'unix' ? engine : undefined
  await atomicWrite(fileIn(stateDir), JSON.stringify({ format: FORMAT, engine: local }))
}

const fileIn = (stateDir: string) => join(stateDir, 'runtime.json')
