import * as z from 'zod'
import { hostText, wellFormedText } from './text.ts'

export const networkOutbound = z.strictObject({
  allow_host: z
    .array(hostText)
    .optional()
    .meta({
      description:
        'Hosts the server may reach; "*.example.com" matches every name below. "host:port" names one port of a host, ' +
        'and is the only form for private hosts and this machine, such as "localhost:5432"',
    }),
  allow_port: z
    .array(z.int().min(1).max(65535))
    .optional()
    .meta({ description: 'Ports of the hosts that are listed without one (default: 80 and 443)' }),
  insecure_allow_all: z.boolean().optional().meta({ description: 'Every public host and port' }),
})

export const permissionProfile = z
  .strictObject({
    name: wellFormedText
      .min(1)
      .optional()
      .meta({ description: 'Name of the profile; "none" or "network" alone picks the built-in one' }),
    read: z
      .array(wellFormedText.min(1))
      .optional()
      .meta({ description: 'Paths mounted read-only: "path" or "host:container"' }),
    write: z
      .array(wellFormedText.min(1))
      .optional()
      .meta({ description: 'Paths mounted read-write: "path" or "host:container"' }),
    privileged: z
      .boolean()
      .optional()
      .meta({ description: 'Allows mounts that are refused otherwise; never gives extra capabilities' }),
    network: z
      .strictObject({ outbound: networkOutbound.optional().meta({ description: 'Connections the server may open' }) })
      .optional()
      .meta({ description: 'What the server may reach over the network (default: nothing)' }),
  })
  .meta({ id: 'permissions.Profile', description: 'What a workload may read, write and reach' })

export type PermissionProfile = z.infer<typeof permissionProfile>

export const BUILT_IN_PROFILES = {
  none: { name: 'none', network: { outbound: {} } },
  network: { name: 'network', network: { outbound: { insecure_allow_all: true } } },
} as const satisfies Record<string, PermissionProfile>

/** What a profile allows outbound: nothing, everything, or a list. */
export type OutboundPolicy = 'nothing' | 'everything' | 'allow-list'

export function outboundPolicy(profile: PermissionProfile): OutboundPolicy {
  const outbound = profile.network?.outbound
  if (outbound?.insecure_allow_all) return 'everything'
  if (outbound?.allow_host?.length || outbound?.allow_port?.length) return 'allow-list'
  return 'nothing'
}
