import { parseListedHost } from '@toolhaven/contract/listed-host'
import { FORWARDER_PORTS, MOST_DIRECT_PORTS, type OutboundRules } from '@toolhaven/core/ports/egress'
import { WEB_PORTS } from './outbound-policy.ts'

/**
 * Ports of services that programs reach without a proxy, for a workload that may go everywhere. Excludes ports that servers
 * commonly bind themselves, because the forwarder would occupy them.
 */
const COMMON_PORTS: readonly number[] = [
  ...WEB_PORTS,
  22, // SSH
  ...[143, 465, 587, 993, 995], // mail
  ...[389, 636], // LDAP
  1433, // SQL Server
  1521, // Oracle
  ...[1883, 8883], // MQTT
  3306, // MySQL
  4222, // NATS
  5222, // XMPP
  ...[5432, 6543], // PostgreSQL, and its pools
  ...[5671, 5672], // AMQP
  ...[6379, 6380], // Redis
  6443, // Kubernetes
  7687, // Neo4j
  9042, // Cassandra
  ...[9092, 9093, 9094], // Kafka
  ...[9200, 9243], // Elasticsearch
  9418, // Git
  9440, // ClickHouse
  27017, // MongoDB
]

/** The proxy also listens there. A listed port takes precedence if no server listens on it. */
const PROXY_PORT = 3128

/** The ports on which the forwarder accepts direct connections. Listed ports come first. */
export function directPorts({ allowHost, allowPort, allowAll, targetPort }: OutboundRules) {
  const entries = allowHost.flatMap((entry) => parseListedHost(entry) ?? [])
  const isWeb = allowPort.length === 0 && entries.some(({ port }) => port === undefined)
  const listed = [...entries.flatMap(({ port }) => port ?? []), ...allowPort]
  const wanted = [...listed, ...(allowAll ? COMMON_PORTS : isWeb ? WEB_PORTS : [])]
  const isTaken = (port: number) => FORWARDER_PORTS.includes(port) && !(port === PROXY_PORT && targetPort === undefined)
  const isFree = (port: number) => port !== targetPort && !isTaken(port)
  const ports = [...new Set(wanted)].filter(isFree).slice(0, MOST_DIRECT_PORTS)
  return { ports, unlisted: ports.filter((port) => !listed.includes(port)) }
}
