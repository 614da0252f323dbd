import type { ApiClient } from '@toolhaven/contract/client'
import { type Home, startDaemon } from './home.ts'
import { settledResidentMb } from './proc.ts'
import type { ServerProcess } from './server-process.ts'
import { apiOf, untilAllRun } from './workloads.ts'

export const COUNT = 100

/** One daemon with a hundred idle servers. */
export interface Hundred extends AsyncDisposable {
  home: Home
  daemon: ServerProcess
  api: ApiClient
  /** For the daemon alone: with no workload, with one, and with all. */
  residentMb: { none: number; one: number; all: number }
}

interface HundredOptions {
  /** The server they run. */
  image: string
  makeHome: () => Promise<Home>
  say: (line: string) => void
}

export async function startHundred({ image, makeHome, say }: HundredOptions): Promise<Hundred> {
  await using stack = new AsyncDisposableStack()
  const home = stack.use(await makeHome())
  const daemon = stack.use(await startDaemon(home))
  const api = apiOf(daemon)
  const none = await settledResidentMb(daemon.pid)
  const create = (index: number) => api.call('createWorkload', { body: { name: `idle-${index}`, image } })
  await create(0)
  await untilAllRun(api, 1)
  const one = await settledResidentMb(daemon.pid)
  say(`starting ${COUNT} servers …`)
  for (let index = 1; index < COUNT; index++) await create(index)
  await untilAllRun(api, COUNT)
  const all = await settledResidentMb(daemon.pid)
  const owned = stack.move()
  return { home, daemon, api, residentMb: { none, one, all }, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}
