import * as z from 'zod'
import { CLIENT_TYPES, clientType, parseClientType } from './client-types.ts'
import { groupName } from './names.ts'
import { API_PREFIX, noContent, noGroup, ok, type Routes } from './route.ts'

/** Either spelling on the way in (`RooCode`, `roo-code`); the specification's on the way out. */
const anyClientSpelling = z
  .string()
  .transform((text, context) => {
    const type = parseClientType(text)
    if (type) return type
    context.issues.push({
      code: 'custom',
      input: text,
      message: `is not a known client; known are ${CLIENT_TYPES.join(', ')}`,
    })
    return z.NEVER
  })
  .meta({ description: 'A client type, in either spelling (RooCode or roo-code)' })

export const registeredClient = z
  .strictObject({
    name: clientType.meta({ description: 'The client' }),
    groups: z.array(groupName).meta({ description: 'Groups whose servers the client gets' }),
  })
  .meta({ id: 'client.RegisteredClient', description: 'A client and the groups it is registered with' })
export type RegisteredClient = z.infer<typeof registeredClient>

/** `notes` says what a user should know, such as an entry that had to take another name. */
export const clientResponse = registeredClient
  .extend({
    notes: z
      .array(z.string())
      .optional()
      .meta({ description: 'What you need to know, such as an entry that had to take another name' }),
    problem: z.string().optional().meta({
      description: 'Why the file of the client could not be changed; the client is registered all the same',
    }),
  })
  .meta({ id: 'v1.createClientResponse', description: 'The client as it is registered now' })
export type ClientResponse = z.infer<typeof clientResponse>

export const clientStatus = z
  .strictObject({
    client_type: clientType.meta({ description: 'The client' }),
    installed: z.boolean().meta({ description: 'Whether its configuration file or folder exists' }),
    registered: z.boolean().meta({ description: 'Whether it is registered with at least one group' }),
  })
  .meta({ id: 'client.MCPClientStatus', description: 'Whether a client is installed and registered' })

export const clientStatusList = z
  .strictObject({ clients: z.array(clientStatus).meta({ description: 'Every known client' }) })
  .meta({ id: 'v1.clientStatusResponse', description: 'Every known client' })

export const createClientRequest = z
  .strictObject({
    name: anyClientSpelling,
    groups: z
      .array(groupName)
      .optional()
      .meta({ description: 'Groups whose servers the client gets (default: default)' }),
  })
  .meta({ id: 'v1.createClientRequest', description: 'A client to register' })

export const bulkClientRequest = z
  .strictObject({
    names: z.array(anyClientSpelling).min(1, 'must name at least one client').meta({ description: 'The clients' }),
    groups: z
      .array(groupName)
      .optional()
      .meta({ description: 'Groups to register with (default: default) or to leave (default: all)' }),
  })
  .meta({ id: 'v1.bulkClientRequest', description: 'Several clients' })

const tag = 'clients'
const example = { name: 'Cursor', groups: ['default'] }
const notRegistered = {
  404: { when: 'the client is not registered, or no group of that name', example: 'client cursor is not registered' },
}

export const clientRoutes = {
  listClients: {
    method: 'GET',
    path: `${API_PREFIX}/clients`,
    tag,
    summary: 'List registered clients',
    success: ok(z.array(registeredClient), 'Registered clients, sorted by name', [example]),
  },
  createClient: {
    method: 'POST',
    path: `${API_PREFIX}/clients`,
    tag,
    summary: 'Register a client',
    description:
      'Without groups, with the default group. A client that is not installed yet gets its entries once it is.',
    body: createClientRequest,
    bodyExample: example,
    success: ok(clientResponse, 'Registered', example),
    errors: noGroup,
  },
  deleteClient: {
    method: 'DELETE',
    path: `${API_PREFIX}/clients/{name}`,
    tag,
    summary: 'Unregister a client everywhere',
    params: z.strictObject({ name: anyClientSpelling }),
    success: noContent,
    errors: notRegistered,
  },
  deleteClientFromGroup: {
    method: 'DELETE',
    path: `${API_PREFIX}/clients/{name}/groups/{group}`,
    tag,
    summary: 'Unregister a client from a group',
    params: z.strictObject({ name: anyClientSpelling, group: groupName }),
    success: noContent,
    errors: notRegistered,
  },
  registerClients: {
    method: 'POST',
    path: `${API_PREFIX}/clients/register`,
    tag,
    summary: 'Register several clients',
    body: bulkClientRequest,
    bodyExample: { names: ['Cursor', 'VSCode'], groups: ['default'] },
    success: ok(z.array(clientResponse), 'Registered', [example]),
    errors: noGroup,
  },
  unregisterClients: {
    method: 'POST',
    path: `${API_PREFIX}/clients/unregister`,
    tag,
    summary: 'Unregister several clients',
    body: bulkClientRequest,
    bodyExample: { names: ['Cursor'] },
    success: noContent,
    errors: notRegistered,
  },
  discoverClients: {
    method: 'GET',
    path: `${API_PREFIX}/discovery/clients`,
    tag: 'discovery',
    summary: 'See which clients are installed and registered',
    success: ok(clientStatusList, 'Every known client', {
      clients: [{ client_type: 'Cursor', installed: true, registered: false }],
    }),
  },
} as const satisfies Routes
