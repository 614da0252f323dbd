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
  .strictObject({ name: clientType, groups: z.array(groupName) })
  .meta({ id: 'client.RegisteredClient' })
export type RegisteredClient = z.infer<typeof registeredClient>

/** `notes` says what a user should know, such as an entry that had to take another name. */
export const clientResponse = registeredClient
  .extend({
    notes: z.array(z.string()).optional(),
    problem: z.string().optional().meta({
      description: 'Why the file of the client could not be changed; the client is registered all the same',
    }),
  })
  .meta({ id: 'v1.createClientResponse' })
export type ClientResponse = z.infer<typeof clientResponse>

export const clientStatus = z
  .strictObject({ client_type: clientType, installed: z.boolean(), registered: z.boolean() })
  .meta({ id: 'client.MCPClientStatus' })

export const clientStatusList = z
  .strictObject({ clients: z.array(clientStatus) })
  .meta({ id: 'v1.clientStatusResponse' })

export const createClientRequest = z
  .strictObject({ name: anyClientSpelling, groups: z.array(groupName).optional() })
  .meta({ id: 'v1.createClientRequest' })

export const bulkClientRequest = z
  .strictObject({
    names: z.array(anyClientSpelling).min(1, 'must name at least one client'),
    groups: z.array(groupName).optional(),
  })
  .meta({ id: 'v1.bulkClientRequest' })

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
