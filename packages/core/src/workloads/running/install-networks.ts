import type { Egress, OutboundRules, Sighting } from '../../ports/egress.ts'
import type { Logger } from '../../ports/logger.ts'
import type { InstallAccess, InstallNetwork, InstallStep, Source } from '../../ports/runtime.ts'
import type { LogStore } from '../../ports/stores.ts'

export interface InstallNetworksDeps {
  egress: () => Egress
  logger: Logger
  logs: Pick<LogStore, 'append'>
  /** ID of this installation. */
  instanceId: string
}

interface Install {
  refused: Set<string>
  /** The workload whose log gets the attempts. A build belongs to no workload. */
  workload: string | undefined
}

export interface InstallRequest {
  source: Exclude<Source, { kind: 'image' }>
  hosts?: readonly string[] | undefined
  workload?: string
}

/** Workload names have no spaces, so no workload shares a gate with an install. */
const BEGINNING = 'install '
/** A limit, so that a script that tries many hosts fills neither the memory nor the log. */
const MOST_REFUSED = 100
/** Port 0 marks a DNS question that was refused. */
const PLAIN_PORTS = new Set([0, 80, 443])

/** The networks in which packages are fetched and installed: one gate for each step, with the hosts it refused. */
export class InstallNetworks {
  readonly #deps: InstallNetworksDeps
  readonly #open = new Map<string, Install>()

  constructor(deps: InstallNetworksDeps) {
    this.#deps = deps
  }

  /** What a package may reach while it is prepared. */
  access({ source, hosts = [], workload }: InstallRequest): InstallAccess {
    const what = source.kind === 'folder' ? source.path : `${source.scheme}://${source.name}@${source.version}`
    const key = `${BEGINNING}${what}`
    const { instanceId: owner, logger, logs } = this.#deps
    return {
      owner,
      hosts,
      open: (step, places) => this.#begin({ key, workload }, rulesOf(step, places, hosts)),
      unguarded: (reason) => {
        logger.warn('a package is fetched without a gate', { install: key, reason })
        if (workload !== undefined)
          logs.append(workload, 'stderr', `install: fetched on the ordinary network: ${reason}`)
      },
      failed: (reason) => {
        logger.warn('install scripts failed', { install: key, reason })
        if (workload !== undefined) logs.append(workload, 'stderr', `install: scripts failed: ${reason}`)
      },
    }
  }

  /** Whether a gate is an install's and not a workload's. */
  static isInstall(key: string): boolean {
    return key.startsWith(BEGINNING)
  }

  /** Records what such a gate saw. */
  seen(key: string, { host, port, outcome, reason }: Sighting): void {
    const install = this.#open.get(key)
    const isRefused = outcome === 'unlisted' || outcome === 'refused'
    // In the form for install_hosts: only a name on port 80 or 443 needs no port.
    const isPlain = outcome === 'unlisted' && PLAIN_PORTS.has(port) && !/^[0-9.]+$|:/.test(host)
    const place = isPlain ? host : `${host.includes(':') ? `[${host}]` : host}:${port}`
    if (!install || !isRefused || install.refused.has(place) || install.refused.size >= MOST_REFUSED) return
    install.refused.add(place)
    const { logger, logs } = this.#deps
    logger.warn('an install was refused a host', { install: key, host, port, ...(reason && { reason }) })
    if (install.workload !== undefined) logs.append(install.workload, 'stderr', `install: blocked: ${place}`)
  }

  async #begin(
    { key, workload }: { key: string; workload: string | undefined },
    rules: OutboundRules,
  ): Promise<InstallNetwork> {
    const install: Install = { refused: new Set(), workload }
    this.#open.set(key, install)
    const egress = this.#deps.egress()
    const way = await egress.open(key, rules).catch((error: unknown) => {
      this.#open.delete(key)
      throw error
    })
    return {
      way,
      refused: () => [...install.refused],
      [Symbol.asyncDispose]: async () => {
        await egress.close(key)
        this.#open.delete(key)
      },
    }
  }
}

/** A fetch runs no code of a package. Its dependencies may be anywhere except on this machine and its network. */
function rulesOf(step: InstallStep, places: readonly string[], hosts: readonly string[]): OutboundRules {
  return { allowHost: [...places, ...hosts], allowPort: [], allowAll: step === 'fetch', configured: places }
}
