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
      'A name of the registry (search_registry finds them), a package (npx://NAME, uvx://NAME, go://MODULE), a container ' +
        'image, or the address of a remote server (https://…)',
    ),
  name: z.string().optional().describe('Name of the new workload; left out: made from the server’s'),
  group: z.string().optional().describe('Group it belongs to; left out: default'),
  arguments: z.array(z.string()).default([]).describe('Arguments of the server'),
  env: z.record(z.string(), z.string()).default({}).describe('Variables; nothing secret belongs here'),
  secrets: z
    .array(z.object({ name: z.string().describe('Name in the secret store'), target: z.string().describe('Variable') }))
    .default([])
    .describe('Secrets the user has stored with "thv secret set", by name'),
  tools: z.array(z.string()).default([]).describe('Only these of its tools; empty: all'),
  permission_profile: z
    .enum(['none', 'network'])
    .optional()
    .describe('none: no network at all; network: any; left out: what the registry says'),
  wait_seconds: z.int().min(0).max(600).default(45).describe('How long to wait until it runs'),
})

export function registerRunServer(server: McpServer, { daemon }: ToolDeps): void {
  const config = {
    title: 'Run a server',
    description:
      'Runs an MCP server in isolation and waits until it answers. Gives its name, status and the address for clients. When ' +
      'it is still "starting" at the end of the wait, list_servers says how it goes on. It gets no folder of this machine: ' +
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

/** A server that failed, or is not done in time, is told by its status. */
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
    // A caller that is gone is noticed by the signal.
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
