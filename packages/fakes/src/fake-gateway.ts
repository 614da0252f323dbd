import type { LockPart } from '@toolhaven/contract/tools'
import { conflict } from '@toolhaven/core/errors'
import type { NeedsLogin } from '@toolhaven/core/workloads/needs-login'
import type {
  AuthorizationSpec,
  Backend,
  EndpointSpec,
  EndpointTraffic,
  Gateway,
  GatewayEvents,
  Handshake,
} from '@toolhaven/core/ports/gateway'

/** A data plane in memory: remembers what is open and connected, and fails when told to. */
export class FakeGateway implements Gateway {
  readonly endpoints = new Map<string, EndpointSpec>()
  readonly backends = new Map<string, Backend>()
  /** The traffic that it reports for each workload. Default: none. */
  readonly traffics = new Map<string, EndpointTraffic>()
  readonly takenPorts = new Set<number>()
  failHandshake: string | undefined
  failPings = false
  /** If set: what the remote server needs before it can be used. */
  needsLogin: NeedsLogin | undefined
  /** Workloads whose logins were forgotten. */
  readonly forgotten: string[] = []
  /** Workloads whose clients were told to read the tools again. */
  readonly accepted: string[] = []
  readonly events: GatewayEvents

  constructor(events: GatewayEvents) {
    this.events = events
  }

  async open(spec: EndpointSpec): Promise<void> {
    if (this.takenPorts.has(spec.port)) throw conflict(`port ${spec.port} is in use by another program; stop it`)
    this.endpoints.set(spec.name, spec)
  }

  async connect(name: string, backend: Backend, signal: AbortSignal): Promise<Handshake> {
    signal.throwIfAborted()
    if (backend.kind === 'stdio') await backend.start?.()
    if (backend.kind === 'isolated' || backend.kind === 'auto') await backend.first.start?.()
    if (this.needsLogin !== undefined) throw this.needsLogin
    if (this.failHandshake !== undefined) throw new Error(this.failHandshake)
    this.backends.set(name, backend)
    return { protocolVersion: '2025-11-25', serverName: name, serverVersion: '1' }
  }

  disconnect(name: string): void {
    this.backends.delete(name)
  }

  async ping(): Promise<void> {
    if (this.failPings) throw new Error('no answer')
  }

  async close(name: string): Promise<void> {
    this.endpoints.delete(name)
    this.backends.delete(name)
  }

  async forgetLogin(name: string): Promise<void> {
    this.forgotten.push(name)
  }

  traffic(name: string): EndpointTraffic | undefined {
    return this.endpoints.has(name) ? (this.traffics.get(name) ?? { sessions: 0, calls: 0, errors: 0 }) : undefined
  }

  toolsAccepted(name: string, parts: readonly LockPart[]): void {
    this.accepted.push(`${name}: ${parts.join()}`)
  }

  async policyFaults({ policies }: AuthorizationSpec): Promise<string[]> {
    return policies.flatMap((policy, at) => (policy.endsWith(';') ? [] : [`policies[${at}]: it has no end`]))
  }

  async isPortFree(_host: string, port: number): Promise<boolean> {
    return !this.takenPorts.has(port)
  }

  async shutdown(): Promise<void> {
    this.endpoints.clear()
  }
}
