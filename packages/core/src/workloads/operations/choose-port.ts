import { conflict, invalid, unavailable } from '../../errors.ts'
import type { WorkloadsDeps } from '../workloads-deps.ts'

const LOWEST = 10_000
/** Systems assign ports automatically from the range above it. */
const HIGHEST = 32_767
const ATTEMPTS = 200

/** `fetch`, which most clients use, and every browser refuse to connect to these, because they belong to other protocols. */
const BLOCKED = new Set([
  ...[1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697],
  10_080,
])

interface Deps {
  book: Pick<WorkloadsDeps['book'], 'isPortTaken' | 'nameAtPort'>
  gateway: Pick<WorkloadsDeps['gateway'], 'isPortFree'>
  host: Pick<WorkloadsDeps['host'], 'apiPorts'>
}

/** Chosen once and kept for ever, because client files contain it. */
export async function choosePort(deps: Deps, host: string, asked: number | undefined): Promise<number> {
  if (asked !== undefined) {
    if (BLOCKED.has(asked))
      throw invalid(`proxy_port ${asked} is one that clients refuse to connect to; choose another, or omit it`)
    if (deps.host.apiPorts?.has(asked))
      throw invalid(`proxy_port ${asked} is the port of Toolhaven's own API; choose another, or omit it`)
    if (deps.book.isPortTaken(asked)) {
      const owner = deps.book.nameAtPort(asked)
      const whose = owner === undefined ? 'another workload' : `the workload ${owner}`
      throw conflict(`proxy_port ${asked} belongs to ${whose}; choose another, or omit it for a free one`)
    }
    if (!(await deps.gateway.isPortFree(host, asked))) {
      throw conflict(`proxy_port ${asked} is in use by another program; choose another, or omit it`)
    }
    return asked
  }
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const port = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST + 1))
    if (BLOCKED.has(port)) continue
    if (!deps.book.isPortTaken(port) && (await deps.gateway.isPortFree(host, port)) && !deps.book.isPortTaken(port))
      return port
  }
  throw unavailable(`no port is free between ${LOWEST} and ${HIGHEST}; delete workloads that you no longer need`)
}
