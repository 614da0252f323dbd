import type { McpServer, ServerContext } from '@modelcontextprotocol/server'
import type { CreateRequest } from '@toolhaven/contract/workload-request'
import { isThvError } from '@toolhaven/core/errors'
import * as z from 'zod'
import type { DaemonClient } from '../../connect/daemon-client.ts'
import { waitForOutcome } from '../../output/wait-for-outcome.ts'
import { answer } from '../answer.ts'
import { serverRecord, serverRecordOf } from '../server-record.ts'
import type { ToolDeps } from '../tool-deps.ts'

const inputSchema = z.object({
  server: z
    .string()
    .min(1)
    .describe(
      'A name from the registry (search_registry finds them), a package (npx://NAME, uvx://NAME, go://MODULE), a container ' +
        'image, or the address of a remote server (https://…)',
    ),
  name: z.string().optional().describe('Name of the new workload (default: derived from the server name)'),
  group: z.string().optional().describe('Group that it belongs to (default: default)'),
  arguments: z.array(z.string()).default([]).describe('Arguments of the server'),
  env: z.record(z.string(), z.string()).default({}).describe('Environment variables. Do not put secrets here'),
  secrets: z
    .array(z.object({ name: z.string().describe('Name in the secret store'), target: z.string().describe('Variable') }))
    .default([])
    .describe('Secrets that the user has stored with "thv secret set", by name'),
  tools: z.array(z.string()).default([]).describe('Only these of its tools (empty: all)'),
  permission_profile: z
    .enum(['none', 'network'])
    .optional()
    .describe('none: no network; network: every public host (default: what the registry says)'),
  wait_seconds: z.int().min(0).max(600).default(45).describe('How long to wait until it answers'),
})

export function registerRunServer(server: McpServer, { daemon }: ToolDeps): void {
  const config = {
    title: 'Run a server',
    description:
      'Runs an MCP server in isolation and waits until it answers. Returns its name, status and the address for clients. If ' +
      'it is still "starting" at the end of the wait, use list_servers to follow it. It gets no folder of this machine; ' +
      'for that the user runs "thv run … --volume".',
    inputSchema,
    outputSchema: serverRecord,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  }
  server.registerTool('run_server', config, (asked, context) =>
    answer(async () => {
      const { signal } = context.mcpReq
      const client = await daemon()
      const { name } = await client.call('createWorkload', { body: requestOf(asked) }, signal)
      if (asked.wait_seconds > 0) await untilRunning(client, name, asked.wait_seconds, context)
      return serverRecordOf(await client.call('getWorkload', { params: { name } }, signal))
    }),
  )
}

function requestOf(asked: z.infer<typeof inputSchema>): CreateRequest {
  const { server, name, group, env, secrets, tools, permission_profile: profile } = asked
  return {
    ...(/^https?:\/\//i.test(server) ? { url: server } : { image: server }),
    ...(name !== undefined && { name }),
    ...(group !== undefined && { group }),
    ...(asked.arguments.length > 0 && { cmd_arguments: asked.arguments }),
    ...(Object.keys(env).length > 0 && { env_vars: env }),
    ...(secrets.length > 0 && { secrets }),
    ...(tools.length > 0 && { tools }),
    ...(profile !== undefined && { permission_profile: { name: profile } }),
  }
}

/** The status tells whether a server failed or is not ready in time. */
async function untilRunning(
  client: DaemonClient,
  name: string,
  seconds: number,
  { mcpReq: { signal, _meta: meta, notify } }: ServerContext,
): Promise<void> {
  const patience = AbortSignal.timeout(seconds * 1000)
  const progressToken = meta?.progressToken
  let progress = 0
  const transient = (message: string) => {
    if (progressToken === undefined || message === '') return
    progress += 1
    // The signal aborts when the caller disconnects.
    void notify({ method: 'notifications/progress', params: { progressToken, progress, message } }).catch(
      () => undefined,
    )
  }
  try {
    await waitForOutcome({ out: { transient }, signal: AbortSignal.any([signal, patience]) }, client, [name], 'run')
  } catch (error) {
    if (signal.aborted || !(patience.aborted || isThvError(error, 'conflict'))) throw error
  }
}
