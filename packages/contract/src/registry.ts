import * as z from 'zod'
import { imageServer, registryDocument, remoteServer } from './registry-document.ts'
import { API_PREFIX, ok, type Routes } from './route.ts'

export const registryType = z.enum(['file', 'url', 'default']).meta({
  id: 'v1.RegistryType',
  description: 'Where a registry comes from: a file, a URL, or the one that is built in',
})

const infoFields = {
  name: z.string().meta({ description: 'Name of the registry' }),
  type: registryType.meta({ description: 'Where the registry comes from' }),
  source: z.string().meta({ description: 'URL, file path, or empty for the built-in registry' }),
  version: z.string().meta({ description: 'Version that the registry states' }),
  last_updated: z.string().meta({ description: 'When the registry last changed, as it states itself' }),
  server_count: z.int().meta({ description: 'Number of container and remote servers' }),
  left_out: z.int().optional().meta({
    description:
      'Number of servers that are not listed because Toolhaven cannot run them; a request for one of them says why. Only for an MCP registry. An extension',
  }),
  allow_private_ip: z.literal(true).optional().meta({
    description: 'Whether the address may be on this machine or its network (default: false). An extension',
  }),
}

export const registryInfo = z
  .strictObject(infoFields)
  .meta({ id: 'v1.registryInfo', description: 'A registry without its content' })
export type RegistryInfo = z.infer<typeof registryInfo>

export const registryList = z
  .strictObject({ registries: z.array(registryInfo).meta({ description: 'The registries' }) })
  .meta({ id: 'v1.registryListResponse', description: 'The registries' })

export const registryDetails = z
  .strictObject({ ...infoFields, registry: registryDocument.meta({ description: 'Content of the registry' }) })
  .meta({ id: 'v1.getRegistryResponse', description: 'A registry with its content' })
export type RegistryDetails = z.infer<typeof registryDetails>

export const updateRegistryRequest = z
  .strictObject({
    url: z
      .string()
      .min(1, 'must not be empty; to reset, omit it')
      .optional()
      .meta({ description: 'Address of a registry file, or base address of an MCP registry (API v0.1)' }),
    local_path: z
      .string()
      .min(1, 'must not be empty; to reset, omit it')
      .optional()
      .meta({ description: 'Path of a registry file on this machine' }),
    allow_private_ip: z.boolean().optional().meta({ description: 'Allow an address on this machine or its network' }),
  })
  .refine((body) => !(body.url && body.local_path), 'takes url or local_path, not both')
  .meta({
    id: 'v1.updateRegistryRequest',
    description: 'The new source. Without url and local_path, the built-in registry',
    not: { required: ['url', 'local_path'], properties: { url: {}, local_path: {} } },
  })

export const updateRegistryResponse = z
  .strictObject({
    message: z.string().meta({ description: 'What was done' }),
    type: registryType.meta({ description: 'Where the registry comes from now' }),
  })
  .meta({ id: 'v1.updateRegistryResponse', description: 'The source in force' })

export const serverList = z
  .strictObject({
    servers: z.array(imageServer).meta({ description: 'Servers that run on this machine' }),
    remote_servers: z.array(remoteServer).meta({ description: 'Servers that run elsewhere' }),
  })
  .meta({ id: 'v1.listServersResponse', description: 'The servers of a registry' })

export const serverResponse = z
  .strictObject({
    is_remote: z.boolean().meta({ description: 'Whether the server runs elsewhere' }),
    server: imageServer.optional().meta({ description: 'The server, when it runs on this machine' }),
    remote_server: remoteServer.optional().meta({ description: 'The server, when it runs elsewhere' }),
  })
  .meta({ id: 'v1.getServerResponse', description: 'One server of a registry' })

const registryName = z.string().meta({ description: 'Name of the registry: default' })
const params = z.strictObject({ name: registryName })
const tag = 'registry'
const noRegistry = {
  404: {
    when: 'no registry of that name',
    example: 'registry not found: there is only the registry named default',
  },
}
const exampleInfo: RegistryInfo = {
  name: 'default',
  type: 'default',
  source: '',
  version: '1.0.0',
  last_updated: '2026-01-15T00:00:00Z',
  server_count: 2,
}
const exampleServer = {
  name: 'time',
  image: 'uvx://mcp-server-time@2026.1.26',
  description: 'Tells the time in any time zone',
  tier: 'Official',
  status: 'active',
  transport: 'stdio',
  tools: ['get_current_time'],
}

export const registryRoutes = {
  listRegistries: {
    method: 'GET',
    path: `${API_PREFIX}/registry`,
    tag,
    summary: 'List registries',
    success: ok(registryList, 'The registries', { registries: [exampleInfo] }),
  },
  addRegistry: {
    method: 'POST',
    path: `${API_PREFIX}/registry`,
    tag,
    summary: 'Add a registry (not implemented)',
    success: {},
    errors: {
      501: {
        when: 'always',
        example: 'adding a registry is not implemented; PUT /api/v1beta/registry/default changes the source',
      },
    },
  },
  getRegistry: {
    method: 'GET',
    path: `${API_PREFIX}/registry/{name}`,
    tag,
    summary: 'Get a registry with its content',
    params,
    success: ok(registryDetails, 'The registry', {
      ...exampleInfo,
      registry: {
        version: '1.0.0',
        last_updated: '2026-01-15T00:00:00Z',
        servers: { time: exampleServer },
        remote_servers: {},
      },
    }),
    errors: noRegistry,
  },
  updateRegistry: {
    method: 'PUT',
    path: `${API_PREFIX}/registry/{name}`,
    tag,
    summary: 'Change the source of the default registry',
    description:
      'Reads and checks the new source first. If the check fails, the old source stays. Without url and local_path, the built-in registry is used. ' +
      'A URL can be the address of a registry file, or the base address of an MCP registry, whose complete list is then read.',
    params,
    body: updateRegistryRequest,
    bodyExample: { url: 'https://example.com/registry.json' },
    success: ok(updateRegistryResponse, 'Changed', {
      message: 'registry now read from https://example.com/registry.json',
      type: 'url',
    }),
    errors: noRegistry,
  },
  testRegistry: {
    method: 'POST',
    path: `${API_PREFIX}/registry/{name}/test`,
    tag,
    summary: 'Read and check a source without using it',
    description:
      'Answers with the registry that the source would give. Changes nothing. Without url and local_path, it checks the built-in registry.',
    params,
    body: updateRegistryRequest,
    bodyExample: { url: 'https://example.com/registry.json' },
    success: ok(registryInfo, 'It holds', {
      ...exampleInfo,
      type: 'url',
      source: 'https://example.com/registry.json',
    }),
    errors: noRegistry,
    extension: true,
  },
  refreshRegistry: {
    method: 'POST',
    path: `${API_PREFIX}/registry/{name}/refresh`,
    tag,
    summary: 'Read the registry again now',
    description:
      'Otherwise Toolhaven reads a registry file at a URL every 10 minutes at most, and an MCP registry every hour. If reading fails, the last valid copy stays in use.',
    params,
    success: ok(registryInfo, 'The registry as it is now', exampleInfo),
    errors: noRegistry,
    extension: true,
  },
  deleteRegistry: {
    method: 'DELETE',
    path: `${API_PREFIX}/registry/{name}`,
    tag,
    summary: 'Delete a registry',
    description: 'The default registry cannot be deleted (400); others do not exist (404).',
    params,
    success: {},
    errors: noRegistry,
  },
  listServers: {
    method: 'GET',
    path: `${API_PREFIX}/registry/{name}/servers`,
    tag,
    summary: 'List the servers of a registry',
    params,
    success: ok(serverList, 'Servers, sorted by name', { servers: [exampleServer], remote_servers: [] }),
    errors: noRegistry,
  },
  getServer: {
    method: 'GET',
    path: `${API_PREFIX}/registry/{name}/servers/{serverName}`,
    tag,
    summary: 'Get one server of a registry',
    params: z.strictObject({
      name: registryName,
      serverName: z.string().meta({ description: 'Name of the server. Write / as %2F' }),
    }),
    success: ok(serverResponse, 'The server', { is_remote: false, server: exampleServer }),
    errors: {
      404: {
        when: 'no registry or server of that name',
        example: 'server everything not found in the registry default',
      },
    },
  },
} as const satisfies Routes
