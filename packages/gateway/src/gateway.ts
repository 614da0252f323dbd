import { createServer } from 'node:net'
import type { EndpointSpec, Gateway } from '@toolhaven/core/ports/gateway'
import { notFound } from '@toolhaven/core/errors'
import { Endpoint } from './endpoint/endpoint.ts'
import { bind, closeServer } from './endpoint/listen.ts'
import { KeptBytes } from './sessions/kept-bytes.ts'
import { DEFAULT_LIMITS, type GatewayOptions } from './endpoint/options.ts'
import { CallMemory } from './messages/weight.ts'

export function createGateway(options: GatewayOptions): Gateway {
  const limits = { ...DEFAULT_LIMITS, ...options.limits }
  const endpoints = new Map<string, Endpoint>()
  const kept = options.kept ?? new KeptBytes(limits.maxKeptBytesInAll)
  const calls = new CallMemory(limits.maxCallBytesInAll)
  const find = (name: string) => {
    const endpoint = endpoints.get(name)
    if (endpoint === undefined) throw notFound(`The workload ${name} has no gateway endpoint. Open it first.`)
    return endpoint
  }
  return {
    async open(spec: EndpointSpec) {
      const known = endpoints.get(spec.name)
      if (known !== undefined) return known.change(spec)
      const endpoint = new Endpoint(options, limits, spec, { kept, calls })
      await endpoint.open()
      endpoints.set(spec.name, endpoint)
    },
    async connect(name, backend, signal) {
      return find(name).connect(backend, signal)
    },
    disconnect(name, reason, isForGood) {
      endpoints.get(name)?.disconnect(reason, isForGood)
    },
    async ping(name, signal) {
      await find(name).ping(signal)
    },
    async close(name) {
      const endpoint = endpoints.get(name)
      endpoints.delete(name)
      // A workload whose endpoint this daemon never opened may still have sessions from an earlier daemon.
      if (endpoint === undefined) await options.sessionStore?.remove(name)
      else await endpoint.close()
      await options.logins?.close(name)
    },
    async forgetLogin(name) {
      await options.logins?.forget(name)
    },
    traffic(name) {
      return endpoints.get(name)?.traffic
    },
    toolsAccepted(name, parts) {
      endpoints.get(name)?.toolsAccepted(parts)
    },
    async policyFaults(spec) {
      const { policyFaults } = await import('./policy/decisions/cedar/cedar-engine.ts')
      return policyFaults(spec)
    },
    isPortFree,
    async shutdown(drainMs) {
      await Promise.all([...endpoints.values()].map((endpoint) => endpoint.shutdown(drainMs)))
      endpoints.clear()
      await options.logins?.closeAll()
    },
  }
}

async function isPortFree(host: string, port: number): Promise<boolean> {
  const server = createServer()
  const isFree = await bind(server, host, port).then(
    () => true,
    () => false,
  )
  if (isFree) await closeServer(server)
  return isFree
}
