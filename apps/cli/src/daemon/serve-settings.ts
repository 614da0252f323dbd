import { tmpdir } from 'node:os'
import * as z from 'zod'
import { invalid } from '@toolhaven/core/errors'
import { currentFolder } from '../current-folder.ts'
import { homeDirOf } from '../home-dir.ts'

const flagsSchema = z.object({
  host: z.string(),
  /** If undefined, `THV_PORT` or the settings decide. */
  port: z.number().optional(),
  stopWorkloadsOnExit: z.boolean(),
  allowUnsandboxed: z.boolean(),
  onDemand: z.boolean(),
  debug: z.boolean(),
})

/** Everything that the daemon reads from its environment, read once. */
export interface ServeSettings extends z.infer<typeof flagsSchema> {
  env: Readonly<Record<string, string | undefined>>
  homeDir: string
  tmpDir: string
  platform: NodeJS.Platform
  uid: number
  cwd: string
  nodePath: string
  /** If set, every call over TCP must carry it. */
  token?: string
}

export function serveSettings(
  flags: unknown,
  env: Readonly<Record<string, string | undefined>>,
): Readonly<ServeSettings> {
  const parsed = flagsSchema.parse(flags)
  const port = parsed.port ?? portOf(env['THV_PORT'])
  const token = env['THV_API_TOKEN'] || undefined
  if (token !== undefined && token.length < 16) throw invalid('THV_API_TOKEN is too short; use at least 16 characters')
  if (!isLoopback(parsed.host) && token === undefined) {
    throw invalid(`--host ${parsed.host} can be reached by others: set THV_API_TOKEN first, or use --host localhost`)
  }
  return Object.freeze({
    ...parsed,
    port,
    env: { ...env },
    homeDir: homeDirOf(env),
    tmpDir: tmpdir(),
    platform: process.platform,
    uid: process.getuid?.() ?? 0,
    cwd: currentFolder(),
    nodePath: process.execPath,
    ...(token !== undefined && { token }),
  })
}

function portOf(text: string | undefined): number | undefined {
  if (!text) return undefined
  const port = Number(text)
  if (!/^\d+$/.test(text) || port > 65_535)
    throw invalid(`THV_PORT must be a port from 0 to 65535, not "${text}"; set another or unset it`)
  return port
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '127.0.0.1' || host === '::1'
}
