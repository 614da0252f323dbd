import * as z from 'zod'
import { clientType } from './client-types.ts'
import { groupName, workloadName } from './names.ts'
import { API_PREFIX, ok, type Routes } from './route.ts'

const place = z
  .strictObject({
    client_type: clientType.meta({ description: 'The client' }),
    key: z.string().meta({ description: 'Name of the entry in the client’s file' }),
    file: z.string().meta({ description: 'Path of the file' }),
  })
  .meta({ id: 'toolhaven.clientEntryPlace', description: 'An entry in the configuration file of a client' })

const variable = z.strictObject({
  name: z.string().meta({ description: 'Name of the variable or header' }),
  secret: z.boolean().meta({ description: 'Whether its value would go to the secret store' }),
})

/** What a workload would be made from. It never holds the values of variables and headers. */
const becomes = z.strictObject({
  image: z.string().optional().meta({ description: 'Package or image' }),
  url: z.string().optional().meta({ description: 'Address of a remote server' }),
  transport: z.enum(['stdio', 'sse', 'streamable-http']).meta({ description: 'How the server speaks MCP' }),
  cmd_arguments: z.array(z.string()).meta({ description: 'Values that look like keys are replaced by ***' }),
  volumes: z.array(z.string()).meta({ description: 'Files and folders the server would get, as "host:container"' }),
})

export const foreignServer = z
  .strictObject({
    name: workloadName.meta({ description: 'Name to adopt it by; also the name of its workload' }),
    found_in: z.array(place).meta({ description: 'Entries that name this server' }),
    command: z.string().meta({ description: 'What clients start or where they connect; keys are replaced by ***' }),
    env_vars: z.array(variable).meta({ description: 'Environment variables of the entry, without values' }),
    headers: z.array(variable).meta({ description: 'HTTP headers of the entry, without values' }),
    becomes: becomes.optional().meta({ description: 'The workload it would become' }),
    obstacle: z.string().optional().meta({ description: 'Why it cannot be adopted' }),
    shares: workloadName.optional().meta({
      description: 'Workload of the same server, adopted from another client; it is used instead of a new one',
    }),
    notes: z.array(z.string()).meta({ description: 'What you need to know before you adopt it' }),
  })
  .meta({ id: 'toolhaven.foreignServer', description: 'An MCP server that clients run or reach without Toolhaven' })
export type ForeignServer = z.infer<typeof foreignServer>

export const adoption = z
  .strictObject({
    name: workloadName,
    status: z
      .enum(['starting', 'adopted'])
      .meta({ description: 'starting: the server is coming up. adopted: the clients use it through Toolhaven' }),
    found_in: z.array(place).meta({ description: 'Entries that point to Toolhaven now' }),
    secrets: z.array(z.string()).meta({ description: 'Names of the secrets that were made for it' }),
    notes: z.array(z.string()).meta({ description: 'What you need to know' }),
  })
  .meta({ id: 'toolhaven.adoption', description: 'A server that was adopted' })
export type Adoption = z.infer<typeof adoption>

export const foreignServerList = z
  .strictObject({
    servers: z.array(foreignServer).meta({ description: 'Servers that clients run or reach without Toolhaven' }),
    adoptions: z.array(adoption).meta({ description: 'What was adopted and can be undone' }),
    faults: z
      .array(
        z.strictObject({
          client_type: clientType.meta({ description: 'The client' }),
          reason: z.string().meta({ description: 'Why the file could not be read' }),
        }),
      )
      .meta({ description: 'Files of clients that could not be read' }),
  })
  .meta({ id: 'toolhaven.foreignServerList', description: 'What clients run without Toolhaven' })
export type ForeignServerList = z.infer<typeof foreignServerList>

export const adoptRequest = z
  .strictObject({
    name: workloadName,
    group: groupName.optional().meta({ description: 'Group of the workload (default: default)' }),
    accept_network: z
      .boolean()
      .optional()
      .meta({ description: 'Confirms that the entry may name a private or loopback address' }),
    accept_mounts: z
      .boolean()
      .optional()
      .meta({ description: 'Confirms the volumes that the server is to get, as the list of servers shows them' }),
  })
  .meta({ id: 'toolhaven.adoptRequest', description: 'A server to adopt' })
export type AdoptRequest = z.infer<typeof adoptRequest>

export const undoAdoptionRequest = z
  .strictObject({ name: workloadName })
  .meta({ id: 'toolhaven.undoAdoptionRequest', description: 'A server to give back to its clients' })

export const undoneAdoption = z
  .strictObject({
    name: workloadName,
    restored: z.array(place).meta({ description: 'Entries that are what they were before' }),
    removed_secrets: z.array(z.string()).meta({ description: 'Keys of the secrets that were removed' }),
    notes: z.array(z.string()).meta({ description: 'What you need to know' }),
  })
  .meta({ id: 'toolhaven.undoneAdoption', description: 'What was put back' })
export type UndoneAdoption = z.infer<typeof undoneAdoption>

const tag = 'discovery'
const examplePlace = { client_type: 'Cursor', key: 'github', file: '/home/user/.cursor/mcp.json' }
const exampleAdoption = {
  name: 'github',
  status: 'adopted',
  found_in: [examplePlace],
  secrets: ['github-GITHUB_TOKEN'],
  notes: [],
}

export const adoptRoutes = {
  discoverServers: {
    method: 'GET',
    path: `${API_PREFIX}/discovery/servers`,
    tag,
    summary: 'See which MCP servers clients run without Toolhaven',
    description: 'Reads the files of every known client. The answer names variables, but never holds their values.',
    success: ok(foreignServerList, 'What was found, and what was adopted before', {
      servers: [
        {
          name: 'github',
          found_in: [examplePlace],
          command: 'npx -y @example/github-server@1.2.0',
          env_vars: [{ name: 'GITHUB_TOKEN', secret: true }],
          headers: [],
          becomes: { image: 'npx://@example/github-server@1.2.0', transport: 'stdio', cmd_arguments: [], volumes: [] },
          notes: [],
        },
      ],
      adoptions: [],
      faults: [],
    }),
    extension: true,
  },
  adoptServer: {
    method: 'POST',
    path: `${API_PREFIX}/discovery/servers/adopt`,
    tag,
    summary: 'Move a server of a client into isolation',
    description:
      'Stores its keys, runs it as a workload and, once it runs, points the entries of its clients to it. Answers when that ' +
      'is done. If the server does not start, nothing is changed. If the caller disconnects earlier, the adoption is cancelled.',
    body: adoptRequest,
    bodyExample: { name: 'github' },
    success: ok(adoption, 'Adopted', exampleAdoption),
    extension: true,
    errors: {
      404: {
        when: 'no such server or group, or no secrets provider',
        example: 'no client has a server everything; GET /api/v1beta/discovery/servers lists them',
      },
      405: {
        when: 'secrets cannot be written',
        example: 'everything has keys, and the secrets provider 1password cannot store them; set up the encrypted one',
      },
      409: { when: 'it did not start', example: 'everything is stopped; restart it first' },
    },
  },
  undoAdoption: {
    method: 'POST',
    path: `${API_PREFIX}/discovery/servers/undo`,
    tag,
    summary: 'Give a server back to its clients',
    description: 'Puts the entries back as they were, then removes the workload and the secrets that were made for it.',
    body: undoAdoptionRequest,
    bodyExample: { name: 'github' },
    success: ok(undoneAdoption, 'Undone', {
      name: 'github',
      restored: [examplePlace],
      removed_secrets: ['github-GITHUB_TOKEN'],
      notes: [],
    }),
    errors: {
      404: {
        when: 'no server of that name was adopted',
        example: 'everything was not adopted, so there is nothing to undo',
      },
    },
    extension: true,
  },
} as const satisfies Routes
