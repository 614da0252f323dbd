import type { InspectRequest, InspectionEvent } from '@toolhaven/contract/inspections'
import { conflict, invalid, unavailable } from '../errors.ts'
import type { Host } from '../ports/host.ts'
import { type InstanceSpec, LABELS, type Runtime } from '../ports/runtime.ts'
import type { OpenTunnel, Tunnel } from '../ports/tunnel.ts'
import type { WorkloadBook } from '../workloads/running/book.ts'
import { refuseWithoutState } from '../workloads/running/refuse-without-state.ts'
import type { InstallNetworks } from '../workloads/running/install-networks.ts'
import { checkPackageVersion } from '../workloads/config/package-reference.ts'
import { type InspectorRun, inspectorInstance, inspectorPage } from './inspector-instance.ts'

const PACKAGE = '@modelcontextprotocol/inspector'
/** The version that our tests use. */
export const INSPECTOR_VERSION = '2.12.0'
const READY_MS = 120_000
const REMOVE_MS = 30_000

export interface InspectionsDeps {
  book: WorkloadBook
  runtime: Runtime
  host: Pick<Host, 'stateLoss'>
  openTunnel: OpenTunnel
  caCertificate: () => Promise<string | undefined>
  installs: InstallNetworks
  /** The installation that owns what we create. */
  instanceId: string
}

type Report = (event: InspectionEvent) => void

/** Runs the MCP Inspector beside workloads. A run ends when nobody follows it any more, and leaves nothing behind. */
export class Inspections {
  readonly #deps: InspectionsDeps
  readonly #names = new Set<string>()
  readonly #running = new Set<Promise<void>>()

  constructor(deps: InspectionsDeps) {
    this.#deps = deps
  }

  /** Whether the instance belongs to a run. Such instances are no orphans, although no workload owns them. */
  owns(instanceName: string): boolean {
    return this.#names.has(instanceName)
  }

  /** Resolves when every run is removed. */
  async idle(): Promise<void> {
    await Promise.allSettled(this.#running)
  }

  /** Makes every check that needs no waiting and takes the ports. The returned function runs the Inspector. */
  async open(name: string, asked: InspectRequest): Promise<(report: Report, signal: AbortSignal) => Promise<void>> {
    const { book, openTunnel } = this.#deps
    const { stored } = book.get(name)
    const { status } = book.status(name)
    if (status !== 'running' && status !== 'unhealthy')
      throw conflict(`${name} is ${status}; the Inspector needs a running server`)
    const version = asked.version ?? INSPECTOR_VERSION
    checkPackageVersion('npx', PACKAGE, version)
    const ports = [asked.ui_port, asked.mcp_proxy_port]
    if (new Set([...ports, stored.port]).size < 3)
      throw invalid(`the Inspector needs two different ports, and neither may be ${stored.port}, which ${name} uses`)
    const { host = '127.0.0.1', proxy_mode: mode, transport } = stored.config
    const isSse = transport === 'sse' || (transport === 'stdio' && mode === 'sse')
    const run: InspectorRun = {
      version,
      uiPort: asked.ui_port,
      proxyPort: asked.mcp_proxy_port,
      transport: isSse ? 'sse' : 'http',
      serverUrl: `http://127.0.0.1:${stored.port}${isSse ? '/sse' : '/mcp'}`,
      token: crypto.randomUUID().replaceAll('-', ''),
    }
    const tunnel = await openTunnel({ ports, target: { host: reachable(host), port: stored.port } })
    return (report, signal) => this.#track(this.#run(run, tunnel, report, signal))
  }

  async #track(work: Promise<void>): Promise<void> {
    this.#running.add(work)
    try {
      await work
    } finally {
      this.#running.delete(work)
    }
  }

  async #run(run: InspectorRun, opened: Tunnel, report: Report, signal: AbortSignal): Promise<void> {
    await using tunnel = opened
    const { runtime, caCertificate, installs, instanceId } = this.#deps
    const source = { kind: 'package', scheme: 'npx', name: PACKAGE, version: run.version } as const
    const ca = await caCertificate()
    const onProgress = (progress: Extract<InspectionEvent, { state: 'working' }>['progress']) =>
      report({ state: 'working', progress })
    const install = installs.access({ source })
    const options = { pull: 'if-absent', install, onProgress, ...(ca !== undefined && { caCertificate: ca }) } as const
    const prepared = await runtime.prepare(source, options, signal)
    const labels = { [LABELS.marker]: 'true', [LABELS.instance]: instanceId }
    const spec: InstanceSpec = { ...inspectorInstance(run, tunnel.preload), prepared, source, labels }
    this.#names.add(spec.name)
    try {
      onProgress({ phase: 'starting', detail: `Inspector ${run.version}` })
      await this.#untilEnded(run, spec, tunnel, report, signal)
    } finally {
      this.#names.delete(spec.name)
    }
  }

  async #untilEnded(
    run: InspectorRun,
    spec: InstanceSpec,
    tunnel: Tunnel,
    report: Report,
    signal: AbortSignal,
  ): Promise<void> {
    const { runtime, host } = this.#deps
    await refuseWithoutState(host)
    const handle = await runtime.create(spec, signal)
    try {
      tunnel.connect(await runtime.attach(handle, signal))
      await runtime.start(handle, signal)
      await within(tunnel.ready, AbortSignal.any([signal, AbortSignal.timeout(READY_MS)]))
      report({ state: 'ready', url: inspectorPage(run), server_url: run.serverUrl, version: run.version })
      const words = await within(tunnel.ended, signal)
      throw unavailable(`the Inspector ended${words === '' ? '' : `: ${words}`}; start it again`)
    } finally {
      // Closes the ports first, so that the next run can use them at once.
      await tunnel[Symbol.asyncDispose]()
      // Not the caller's signal, which has usually aborted by now.
      await runtime.remove(handle, AbortSignal.timeout(REMOVE_MS))
    }
  }
}

/** A workload that listens on every address is reached on this one. */
function reachable(host: string): string {
  return host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
}

async function within<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  const { promise, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'))
  signal.addEventListener('abort', abort, { once: true })
  if (signal.aborted) abort()
  try {
    return await Promise.race([work, promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
