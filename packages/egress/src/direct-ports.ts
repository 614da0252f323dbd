import { parseListedHost } from '@toolhaven/contract/listed-host'
import type { OutboundRules } from '@toolhaven/core/ports/egress'
import { WEB_PORTS } from './outbound-policy.ts'

/**
 * Services that programs reach without a proxy, for a workload that may go everywhere. None that a server binds itself: its own
 * port would be taken.
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

/** The forwarder has listeners of its own there. */
const TAKEN_PORTS: readonly number[] = [53, 3128]
/** Each is a listener in the forwarder. */
const MOST_PORTS = 48

/** Where the forwarder takes direct connections: what somebody listed comes first. */
export function directPorts({ allowHost, allowPort, allowAll, targetPort }: OutboundRules): number[] {
  const entries = allowHost.flatMap((entry) => parseListedHost(entry) ?? [])
  const isWeb = allowPort.length === 0 && entries.some(({ port }) => port === undefined)
  const wanted = [
    ...entries.flatMap(({ port }) => port ?? []),
    ...allowPort,
    ...(allowAll ? COMMON_PORTS : isWeb ? WEB_PORTS : []),
  ]
  const isFree = (port: number) => port !== targetPort && !TAKEN_PORTS.includes(port)
  return [...new Set(wanted)].filter(isFree).slice(0, MOST_PORTS)
}
