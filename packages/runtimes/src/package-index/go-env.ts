import { z } from 'zod'
import { findProgram } from './find-program.ts'
import { indexPlaces } from './index-places.ts'
import { isNetworkVariable } from './network-variables.ts'
import { runProgram } from './run-program.ts'

export function goEnv(env: Readonly<Record<string, string | undefined>>, homeDir: string): Record<string, string> {
  const picked: Record<string, string> = { HOME: homeDir }
  const wanted =
    /^(PATH|GOPROXY|GOPRIVATE|GONOPROXY|GONOSUMDB|GOSUMDB|GONOSUMCHECK|GOINSECURE|GOENV|GOROOT|XDG_CONFIG_HOME)$/
  for (const [key, value] of Object.entries(env))
    if (value !== undefined && (wanted.test(key) || isNetworkVariable(key))) picked[key] = value
  return picked
}

/** Where modules come from, and how they are checked. */
const SETTINGS = ['GOPROXY', 'GOPRIVATE', 'GONOPROXY', 'GONOSUMDB', 'GOSUMDB', 'GOINSECURE'] as const
const settingsSchema = z.record(z.enum(SETTINGS), z.string())

/** The user's settings, from variables or from `go env -w`. Without a working Go, only variables are known. */
export async function userGoSettings(
  { env, homeDir }: { env: Readonly<Record<string, string | undefined>>; homeDir: string },
  signal: AbortSignal,
): Promise<Record<string, string>> {
  const go = await findProgram('go', env['PATH'])
  const ask = ['env', '-json', ...SETTINGS]
  const told = go === undefined ? undefined : await runProgram(go, ask, { env: goEnv(env, homeDir), cwd: '/' }, signal)
  // The program called Go may be a script that was never set up.
  if (told?.exitCode === 0) return settingsSchema.parse(JSON.parse(told.stdout))
  return Object.fromEntries(SETTINGS.flatMap((name) => (env[name] ? [[name, env[name]] as const] : [])))
}

/**
 * The `host:port` of everything that Go's settings name: its proxies, the checksum database, and hosts of private
 * modules, which Go asks directly. A pattern names no host.
 */
export function goPlaces(settings: Readonly<Record<string, string | undefined>>): string[] {
  const { GOPROXY = '', GOSUMDB = '', GOPRIVATE = '', GONOPROXY = '' } = settings
  // `sum.example`, `sum.example+KEY` or `sum.example+KEY https://…`.
  const [database = '', address = ''] = GOSUMDB.split(' ')
  const hosts = [
    database.split('+')[0] ?? '',
    ...`${GOPRIVATE},${GONOPROXY}`.split(',').map((path) => path.split('/')[0] ?? ''),
  ]
  const isHost = (host: string) => /^[a-z0-9-]+(\.[a-z0-9-]+)+$/i.test(host)
  return indexPlaces([...GOPROXY.split(/[,|]/), address, ...hosts.filter(isHost).map((host) => `https://${host}`)])
}
