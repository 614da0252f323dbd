import { createApp } from '@toolhaven/api/app'
import { type ThvError, isThvError } from '@toolhaven/core/errors'
import type { Logger } from '@toolhaven/core/ports/logger'
import type { ToolhavenPaths } from '@toolhaven/stores/files/paths'
import { ensurePrivateFolder } from '@toolhaven/stores/files/private-folder'
import { consoleFolder } from '../console/console-folder.ts'
import { createConsolePage } from '../console/console-page.ts'
import { visitPage } from '../console/visit-page.ts'
import { type Listening, listenOnSocket, listenOnTcp } from './listen.ts'
import type { ServeSettings } from './serve-settings.ts'
import { systemClock } from './system-clock.ts'
import type { wire } from './wire.ts'

export interface ApiListening {
  /** Undefined while another program has the port. */
  port: number | undefined
  close: () => Promise<void>
}

export interface ApiListener {
  settings: ServeSettings
  port: number
  paths: ToolhavenPaths
  parts: Pick<
    Awaited<ReturnType<typeof wire>>,
    'apiDeps' | 'allowedHosts' | 'allowPeer' | 'waiting' | 'ownPorts' | 'apiPorts' | 'apiPort'
  >
  say: (line: string) => void
  logger: Logger
}

const RETRY_MS = 5_000

/**
 * Listens on the port and on the socket. Commands need only the socket, so a daemon that a command started runs without the port
 * while another program has it.
 */
export async function listenForApi(listener: ApiListener, shutdown: AbortSignal): Promise<ApiListening> {
  const { settings, port, paths, parts, say } = listener
  const { apiDeps, allowedHosts } = parts
  let tcp: Listening | undefined
  try {
    tcp = await listenOnPort(listener)
  } catch (error) {
    if (!settings.onDemand || !isThvError(error, 'conflict')) throw error
    const problem = problemOf(error)
    parts.apiPort.problem = problem
    say(`Warning: ${problem}, so programs cannot reach the API there yet. ${portAdvice(port)}`)
  }
  try {
    await ensurePrivateFolder(paths.runtimeDir)
    // Last, so that everything is ready once a client finds the socket.
    const socket = await listenOnSocket(
      createApp(apiDeps, { overSocket: true, allowedHosts }),
      paths.socketPath,
      parts.waiting,
    )
    const late = tcp === undefined ? listenLater(listener, shutdown) : undefined
    return {
      port: tcp?.addresses[0]?.port,
      close: async () => {
        const all = [socket, tcp, await late].filter((each) => each !== undefined)
        await Promise.all(all.map((each) => each.close()))
      },
    }
  } catch (error) {
    // A daemon that could not start must stop answering.
    await tcp?.close()
    throw error
  }
}

/** The advice of the error is for a daemon in the foreground. */
const problemOf = (error: ThvError) => error.message.split(/[;.] /, 1)[0]

const portAdvice = (port: number) =>
  `"thv" itself works. Choose another port with "thv config set-port" or THV_PORT, or make port ${port} free.`

async function listenOnPort({ settings, port, parts }: ApiListener): Promise<Listening> {
  const { apiDeps, allowedHosts, allowPeer, waiting, ownPorts, apiPorts, apiPort } = parts
  const { host, token } = settings
  const pages = { page: createConsolePage(consoleFolder()), visitPage }
  const app = createApp(apiDeps, { overSocket: false, allowedHosts, ...pages, ...(token !== undefined && { token }) })
  const tcp = await listenOnTcp(app, host, port, allowPeer, waiting)
  for (const { port } of tcp.addresses) {
    ownPorts.add(port)
    apiPorts.add(port)
  }
  delete apiPort.problem
  return tcp
}

/** Tries until the port is free or the daemon stops. */
async function listenLater(listener: ApiListener, shutdown: AbortSignal): Promise<Listening | undefined> {
  while (!shutdown.aborted) {
    await systemClock.sleep(RETRY_MS, shutdown).catch(() => undefined)
    if (shutdown.aborted) return undefined
    try {
      const tcp = await listenOnPort(listener)
      listener.logger.info('the API listens on its port now', { port: listener.port })
      return tcp
    } catch (error) {
      // Another program may have it by now.
      if (isThvError(error, 'conflict')) listener.parts.apiPort.problem = problemOf(error)
      listener.logger.debug('the port of the API is still taken', { error })
    }
  }
  return undefined
}
