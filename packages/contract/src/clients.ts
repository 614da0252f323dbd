import * as z from 'zod'
import { CLIENT_TYPES, clientType, parseClientType } from './client-types.ts'
import { groupName, workloadName } from './names.ts'
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

/** `notes` tells the user about side effects, such as an entry that needed another name. */
export const clientResponse = registeredClient
  .extend({
    notes: z
      .array(z.string())
      .optional()
      .meta({ description: 'What you need to know, such as an entry that needed another name' }),
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

const plannedEntry = z
  .strictObject({
    key: z.string().meta({ description: 'Name of the entry in the file' }),
    workload: workloadName.meta({ description: 'The workload that the entry points to' }),
    change: z
      .enum(['add', 'change', 'keep', 'remove'])
      .meta({ description: 'What happens to the entry; keep: it is already correct' }),
    fields: z
      .record(z.string(), z.unknown())
      .optional()
      .meta({ description: 'Content of the entry afterwards; absent if it is removed' }),
  })
  .meta({ id: 'toolhaven.plannedEntry', description: 'An entry that Toolhaven writes into the file of a client' })

const clientFile = z
  .strictObject({
    path: z.string().meta({ description: 'Path of the file' }),
    exists: z.boolean().meta({ description: 'Whether the file exists; Toolhaven creates it with the first entry' }),
    format: z.enum(['json', 'toml', 'yaml']).meta({ description: 'Format of the file; json may have comments' }),
    servers_key: z.string().meta({ description: 'The key below which the client keeps its servers' }),
    entries: z.array(plannedEntry).meta({ description: 'Entries of Toolhaven, and what happens to them' }),
    adopted: z
      .array(
        z.strictObject({
          key: z.string().meta({ description: 'Name of the entry in the file' }),
          workload: workloadName.meta({ description: 'The workload that it has pointed to since it was adopted' }),
        }),
      )
      .meta({ description: 'Adopted entries of other programs. Undoing the adoption restores them' }),
    foreign: z
      .array(z.string())
      .meta({ description: 'Names of entries that Toolhaven did not write and does not change' }),
    notes: z.array(z.string()).meta({ description: 'What you need to know' }),
    problem: z.string().optional().meta({ description: 'Why the file cannot be read or changed' }),
  })
  .meta({
    id: 'toolhaven.clientFile',
    description: 'A configuration file of a client, and what would be written to it',
  })
export type PreviewedFile = z.infer<typeof clientFile>

export const clientPreview = z
  .strictObject({
    client_type: clientType.meta({ description: 'The client' }),
    installed: z.boolean().meta({ description: 'Whether the client is found on this machine' }),
    groups: z.array(groupName).meta({ description: 'The groups that the entries are for' }),
    reads: z
      .enum(['at once', 'at its start'])
      .optional()
      .meta({ description: 'When the client reads a changed file; absent if its makers do not document it' }),
    files: z.array(clientFile).meta({ description: 'Its files' }),
  })
  .meta({ id: 'toolhaven.clientPreview', description: 'What would be written for a client' })
export type ClientPreview = z.infer<typeof clientPreview>

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
      'A client without groups gets the default group. A client that is not installed yet gets its entries when it is.',
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
  previewClient: {
    method: 'GET',
    path: `${API_PREFIX}/discovery/clients/{name}`,
    tag: 'discovery',
    summary: 'See the files of a client, and what would be written to them',
    description:
      'Writes nothing. Entries of other programs appear by name only, because they may hold keys. For a client that is not installed, the answer has the file that it would get.',
    params: z.strictObject({ name: anyClientSpelling }),
    query: z.strictObject({
      groups: z
        .string()
        .transform((names) => (names === '' ? [] : names.split(',')))
        .pipe(z.array(groupName))
        .optional()
        .meta({
          description:
            'Preview for these groups, separated by commas; empty: for no group (default: the groups that it is registered with)',
        }),
    }),
    success: ok(clientPreview, 'The files, entry by entry', {
      client_type: 'Cursor',
      installed: true,
      groups: ['default'],
      files: [
        {
          path: '/home/user/.cursor/mcp.json',
          exists: true,
          format: 'json',
          servers_key: 'mcpServers',
          entries: [
            {
              key: 'time',
              workload: 'time',
              change: 'add',
              fields: { url: 'http://127.0.0.1:14000/mcp', type: 'http' },
            },
          ],
          adopted: [],
          foreign: ['github'],
          notes: [],
        },
      ],
    }),
    errors: noGroup,
    extension: true,
  },
} as const satisfies Routes
