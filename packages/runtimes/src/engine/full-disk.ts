import { statfs } from 'node:fs/promises'
import { z } from 'zod'
import { describeError, unavailable } from '@toolhaven/core/errors'
import type { EngineClient } from './engine-client.ts'

const FULL = /ENOSPC|EDQUOT|no space left on device|disk quota exceeded/i
const infoSchema = z.looseObject({ DockerRootDir: z.string() })
const ASK_MS = 10_000
/** Less than a package or a layer of an image takes. */
const ROOM_BYTES = 64 * 1024 ** 2

/** An engine, and programs inside containers, say that the disk is full. Only the engine knows which disk that is. */
export async function orFullDisk<T>(client: EngineClient, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    const said = describeError(error)
    if (!FULL.test(said)) throw error
    const folder = await imageFolder(client)
    if (folder === undefined) throw error
    const room = await roomIn(folder)
    // The space may be free again by now. Or it was a temporary folder of a container, which has a size of its own.
    if (room > ROOM_BYTES)
      throw unavailable(
        `${said.replace(/[.\s]+$/, '')}; ${client.label} keeps images and containers in ${folder}, where ${Math.floor(room / 1024 ** 2)} MiB are free. If that is too little for what is built, free some space there and try again`,
        error,
      )
    throw unavailable(
      `no space is left for ${folder}, where ${client.label} keeps images and containers. Free some space there and try again (${said})`,
      error,
    )
  }
}

async function imageFolder(client: EngineClient): Promise<string | undefined> {
  const call = { method: 'GET', path: '/info' } as const
  const info = await client.json(infoSchema, call, AbortSignal.timeout(ASK_MS)).catch(() => undefined)
  return info?.DockerRootDir
}

/** Undefined for a folder of another machine. */
async function roomIn(folder: string): Promise<number> {
  const found = await statfs(folder).catch(() => undefined)
  return found === undefined ? 0 : found.bavail * found.bsize
}
