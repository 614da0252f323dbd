import type { McpServer } from '@modelcontextprotocol/server'
import * as z from 'zod'
import { waitForOutcome } from '../../output/wait-for-outcome.ts'
import { answer } from '../answer.ts'
import { orKnownServer } from '../known-servers.ts'
import { serverName } from '../server-record.ts'
import type { ToolDeps } from '../tool-deps.ts'

const CHANGES = {
  stop_server: {
    verb: 'stop',
    operation: 'stopWorkload',
    status: 'stopped',
    title: 'Stop a server',
    description:
      'Stops a server and waits until it is down. Its configuration stays: run "thv restart NAME" to start it again.',
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
  remove_server: {
    verb: 'delete',
    operation: 'deleteWorkload',
    status: 'removed',
    title: 'Remove a server',
    description:
      'Stops a server and removes it with its configuration and its entries in AI clients. This cannot be undone; ' +
      'ask the user first unless they asked for it.',
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  },
} as const

export function registerChangeServer(server: McpServer, tool: keyof typeof CHANGES, { daemon }: ToolDeps): void {
  const { verb, operation, status, ...texts } = CHANGES[tool]
  const config = {
    ...texts,
    inputSchema: z.object({ name: serverName }),
    outputSchema: z.object({ name: z.string(), status: z.literal(status) }),
  }
  server.registerTool(tool, config, ({ name }, { mcpReq: { signal } }) =>
    answer(async () => {
      const client = await daemon()
      await orKnownServer(client, name, signal, () => client.call(operation, { params: { name } }, signal))
      await waitForOutcome({ out: { transient: () => undefined }, signal }, client, [name], verb)
      return { name, status }
    }),
  )
}
