import type { RunConfig, WorkloadLimits } from '@toolhaven/contract/run-config'
import { isHeaderValue } from '@toolhaven/contract/text'
import { describeError, invalid, isThvError, unavailable } from '../../errors.ts'
import type { EndpointSpec, LimitsSpec } from '../../ports/gateway.ts'
import type { InstanceHandle, Progress } from '../../ports/runtime.ts'
import type { StoredWorkload } from '../../ports/stores.ts'
import { auditSpec, checkAudit } from '../config/audit.ts'
import { authorizationSpec } from '../config/authorization.ts'
import type { Entry } from './book.ts'
import { checkStoredResources } from '../config/check-resources.ts'
import { Recorded, recordExit } from './failures.ts'
import { makeTemplate } from './instance-template.ts'
import { openNetwork, settleNetworkMode } from '../config/network.ts'
import { loginSpec } from '../config/oauth.ts'
import { authenticationSpec } from '../config/oidc.ts'
import { clientUrl } from '../operations/read.ts'
import { refuseWithoutState } from './refuse-without-state.ts'
import { remoteCertificate } from '../config/named-files.ts'
import { ownServersSpec, sessionModeOf } from '../config/session-mode.ts'
import { StayedSilent } from './stayed-silent.ts'
import { stdioBackend } from './stdio-backend.ts'
import { withoutOurs } from '../config/own-headers.ts'
import type { SupervisorDeps } from './supervisor-deps.ts'
import { telemetrySpec } from '../config/telemetry.ts'

/** Fetches, creates, starts and connects one instance of the present configuration. */
export async function startInstance(deps: SupervisorDeps, { stored }: Entry, signal: AbortSignal): Promise<void> {
  const { config, generation } = stored
  const { name } = config
  await refuseWithoutState(deps.host)
  deps.logs.begin(name)
  await checkStoredResources(deps, config)
  const report = (progress: Progress) => deps.book.observe(name, { progress })
  // Watches before the folder is read, and also while its server fails, so that the next change tries again.
  if (config.folder?.watch) await deps.folders.open(name, config.folder.path)
  else deps.folders.close(name)
  await openEndpoint(deps, stored)
  const openWay = async () => {
    await settleNetworkMode(deps, stored)
    const network = await openNetwork(deps, config)
    deps.book.observe(name, {}, ['blocked', 'exposed'])
    return network
  }
  const template = await makeTemplate(deps, stored, { report, openNetwork: openWay }, signal)
  const { spec } = template
  const handle = await deps.runtime.create(spec, signal)
  deps.book.observe(name, { instance: 'created', handle, instanceGeneration: generation })
  await deps.book.change(name, (current) => ({ ...current, handle }))

  const limit = AbortSignal.any([signal, AbortSignal.timeout(deps.handshakeTimeoutMs)])
  let refusal: unknown
  const start = async () => {
    await deps.runtime.start(handle, limit).catch((error: unknown) => {
      refusal = error
      throw error
    })
    deps.book.observe(name, { instance: 'running', progress: { phase: 'connecting' } })
  }
  try {
    if (config.transport === 'stdio') {
      const channel = await deps.runtime.attach(handle, signal)
      const server = { kind: 'stdio', channel, processId: handle.id, start } as const
      await deps.gateway.connect(
        name,
        stdioBackend(deps, name, async () => template, { handle, server }),
        limit,
      )
    } else {
      await start()
      await connectHttp(deps, stored, handle, limit)
    }
  } catch (error) {
    if (isThvError(refusal, 'invalid')) {
      // The runtime ended it and reported why. Its exit alone is no reason to try again.
      deps.book.observe(name, { instance: 'exited' })
      throw refusal
    }
    if (error instanceof StayedSilent) {
      await takeAway(deps, name, handle, signal)
      throw error
    }
    await explainFailedStart(deps, name, handle, { limit, error }, signal)
    throw error
  }
  markConnected(deps, name, generation)
}

export async function startRemote(deps: SupervisorDeps, { stored }: Entry, signal: AbortSignal): Promise<void> {
  const { config, generation, publicOnly = false } = stored
  const { remote_url: url, name } = config
  if (url === undefined) throw new Error(`${name} has no remote_url, so it is not a remote server`)
  const transport = httpTransport(config)
  await openEndpoint(deps, stored)
  deps.book.observe(name, { progress: { phase: 'connecting' } })
  const headers = await remoteHeaders(deps, stored)
  const limit = AbortSignal.any([signal, AbortSignal.timeout(deps.handshakeTimeoutMs)])
  const login = config.remote_auth_config?.enableRemoteAuth === false ? undefined : await loginSpec(deps, config)
  if (login && stored.asked.accept_network) login.allowPrivateIp = true
  const caCertificate = await remoteCertificate(deps, config)
  const backend = {
    ...({
      kind: 'http',
      transport,
      url,
      headers,
      publicOnly,
      isRemote: true,
      processId: `${url}#${generation}`,
    } as const),
    ...(login && { login }),
    ...(caCertificate !== undefined && { caCertificate }),
  }
  await deps.gateway.connect(name, backend, limit)
  markConnected(deps, name, generation)
}

/** Connects to the port on which an instance listens, and stores its output. */
export async function connectHttp(
  deps: SupervisorDeps,
  stored: StoredWorkload,
  handle: InstanceHandle,
  signal: AbortSignal,
  outputSince?: string,
): Promise<void> {
  const { name, target_host: targetHost } = stored.config
  const transport = httpTransport(stored.config)
  const state = await deps.runtime.inspect(handle, signal)
  if (state.state !== 'running' || !state.address)
    throw unavailable(`the server of ${name} is not reachable: it has no address`)
  const { port, socketPath } = state.address
  // Behind a socket, the forwarder finds the address. A server on the network of this machine is dialled directly.
  const host = socketPath === undefined && targetHost === '::1' ? targetHost : state.address.host
  const path = transport === 'sse' ? '/sse' : '/mcp'
  void keepOutput(deps, name, handle, outputSince)
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}${path}`
  const behind = socketPath === undefined ? {} : { socketPath }
  await deps.gateway.connect(name, { kind: 'http', transport, url, ...behind, processId: handle.id }, signal)
}

/** A new transport does not compile here until it is listed as reached over HTTP or not. */
function httpTransport({ name, transport }: RunConfig): 'sse' | 'streamable-http' {
  if (transport === 'stdio' || transport === 'inspector')
    throw new Error(`${name} cannot be reached over HTTP, because its transport is ${transport}`)
  return transport
}

export async function endpointSpec(deps: SupervisorDeps, stored: StoredWorkload): Promise<EndpointSpec> {
  const { config } = stored
  await checkAudit(deps, config)
  const authentication = await authenticationSpec(deps, config)
  const telemetry = telemetrySpec(config, deps.telemetry())
  const authorization = authorizationSpec(config.authz_config)
  const audit = auditSpec(config)
  const isIsolated = sessionModeOf(stored) === 'isolated'
  return {
    name: config.name,
    host: config.host ?? '127.0.0.1',
    port: stored.port,
    transport: config.transport,
    proxyMode: config.proxy_mode ?? 'streamable-http',
    ...(telemetry && { telemetry }),
    ...(config.tools_filter?.length && { toolsFilter: config.tools_filter }),
    ...(config.tools_override && { toolsOverride: config.tools_override }),
    toolsChanged: config.tools_changed ?? 'warn',
    ...(authorization && { authorization }),
    ...(audit && { audit }),
    ...(config.limits && { limits: limitsSpec(config.limits) }),
    ...(config.debug && { debug: true }),
    ...(isIsolated && { isolated: ownServersSpec(config) }),
    ...(authentication && { authentication: { resourceUrl: new URL(clientUrl(stored)).origin, ...authentication } }),
  }
}

function limitsSpec(limits: WorkloadLimits): LimitsSpec {
  return {
    requestsPerMinute: limits.requests_per_minute,
    clientRequestsPerMinute: limits.client_requests_per_minute,
    maxMessageBytes: limits.max_message_bytes,
    ...(limits.session_idle_seconds !== undefined && { sessionIdleMs: limits.session_idle_seconds * 1000 }),
  }
}

async function openEndpoint(deps: SupervisorDeps, stored: StoredWorkload): Promise<void> {
  await deps.gateway.open(await endpointSpec(deps, stored))
  deps.book.observe(stored.config.name, { open: true })
}

function markConnected(deps: SupervisorDeps, name: string, generation: number): void {
  const seen = { connected: true, connectedAt: deps.clock.now(), hasWorked: true, failedPings: 0 }
  deps.book.observe(name, { ...seen, instanceGeneration: generation }, ['failure', 'runtimeDown', 'progress'])
}

/** The connection failed because it was too slow, or because the instance ended, which is then the real reason. */
async function explainFailedStart(
  deps: SupervisorDeps,
  name: string,
  handle: InstanceHandle,
  { limit, error }: { limit: AbortSignal; error: unknown },
  signal: AbortSignal,
): Promise<void> {
  if (signal.aborted) return
  if (limit.aborted) {
    const seconds = Math.round(deps.handshakeTimeoutMs / 1000)
    await takeAway(deps, name, handle, signal)
    // The gateway knows the server's answer to the last attempt.
    const why = isThvError(error) ? ` (${describeError(error)})` : ''
    throw unavailable(`the server did not complete the MCP handshake within ${seconds} s${why}; look at its logs`)
  }
  const state = await finalState(deps, handle, signal)
  if (state.state !== 'exited') return
  // The runtime's event came first and has the reason.
  if (deps.book.find(name)?.observed.instance === 'exited') throw new Recorded()
  deps.book.observe(name, { instance: 'exited' })
  await recordExit(deps, name, state)
  throw new Recorded()
}

/** A pipe closes a moment before the runtime reports the end of its process. */
async function finalState(deps: SupervisorDeps, handle: InstanceHandle, signal: AbortSignal) {
  const deadline = deps.clock.now() + 2_000
  let state = await deps.runtime.inspect(handle, signal)
  while (state.state === 'running' && deps.clock.now() < deadline) {
    await deps.clock.sleep(100, signal)
    state = await deps.runtime.inspect(handle, signal)
  }
  return state
}

async function takeAway(
  deps: SupervisorDeps,
  name: string,
  handle: InstanceHandle,
  signal: AbortSignal,
): Promise<void> {
  // From now on, the runtime's events about it are our own doing, not the reason of the failure.
  deps.book.observe(name, { instance: 'exited' })
  await deps.runtime.stop(handle, deps.stopGraceMs, signal)
  await deps.runtime.remove(handle, signal)
  await deps.egress.close(name)
  deps.hiding.close(name)
  deps.book.observe(name, { instance: 'absent' }, ['handle'])
}

async function remoteHeaders(deps: SupervisorDeps, stored: StoredWorkload): Promise<Record<string, string>> {
  const { headers = {}, headers_from_secrets: fromSecrets = {} } = stored.config.remote_auth_config ?? {}
  const all: Record<string, string> = { ...headers }
  for (const [header, key] of Object.entries(fromSecrets)) {
    const value = await deps.readSecret(key)
    if (!isHeaderValue(value))
      throw invalid(
        `the value of secret ${key} cannot be sent as the header ${header}: remove line breaks and set it again`,
      )
    all[header] = value
  }
  deps.masker.hold(
    stored.config.name,
    Object.keys(fromSecrets).map((header) => all[header] ?? ''),
  )
  return withoutOurs(all)
}

async function keepOutput(
  deps: SupervisorDeps,
  name: string,
  handle: InstanceHandle,
  since: string | undefined,
): Promise<void> {
  const splitters = { stdout: createLineSplitter(), stderr: createLineSplitter() }
  try {
    const options = { follow: true, ...(since !== undefined && { since }) }
    for await (const chunk of deps.runtime.logs(handle, options, deps.shutdown)) {
      for (const line of splitters[chunk.stream](chunk.data))
        deps.logs.append(name, chunk.stream, deps.masker.mask(line))
    }
  } catch {
    // The instance or the runtime went away: its status says so; there is no more output to keep.
  }
}

const MAX_LINE = 64 * 1024

/** Passes on whole lines only, because a secret that is split across chunks would not be masked. */
function createLineSplitter(): (data: Uint8Array) => string[] {
  const decoder = new TextDecoder()
  let rest = ''
  return (data) => {
    const lines = (rest + decoder.decode(data, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > MAX_LINE) {
      lines.push(rest)
      rest = ''
    }
    return lines
  }
}
