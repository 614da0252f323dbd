import { type CommandDef, type Example, type FlagDef, FORMAT_FLAG, defineCommand } from '../command.ts'
import type { ListKind } from './list-server.ts'

export interface ListTexts {
  words: string
  summary: string
  description: string
  examples: readonly Example[]
}

const HOW =
  'The server is the name of a workload, or the address of any MCP server. With --format json, the records have the ' +
  'format of the protocol.'

export const TRANSPORT_FLAG = {
  transport: {
    type: 'text',
    value: 'kind',
    summary: 'how the server speaks: auto, sse or streamable-http',
    choices: ['auto', 'sse', 'streamable-http'],
    default: 'auto',
  },
} as const satisfies Record<string, FlagDef>

/** `mcp list` and its three variants differ only in what they ask the server for. */
export function listCommand(kinds: readonly ListKind[], texts: ListTexts): CommandDef {
  return defineCommand({
    ...texts,
    description: `${texts.description}\n\n${HOW}`,
    usageHint: `Name the server with --server: thv ${texts.words} --server NAME.`,
    flags: {
      server: {
        type: 'text',
        short: 's',
        value: 'name|url',
        summary: 'name of a workload, or address of a server',
        completes: 'workload',
      },
      ...TRANSPORT_FLAG,
      timeout: {
        type: 'number',
        value: 'seconds',
        summary: 'how long to wait for the server',
        default: 30,
        min: 1,
        max: 3600,
      },
      ...FORMAT_FLAG,
    },
    run: async (context, { flags }) => {
      const [{ invalid }, { targetOf }, { listServer }, { showListing }] = await Promise.all([
        import('@toolhaven/core/errors'),
        import('./target.ts'),
        import('./list-server.ts'),
        import('./show-listing.ts'),
      ])
      if (flags.server === undefined || flags.server === '')
        throw invalid('no server given\nPass --server with a workload name (see "thv list") or an address.')
      const target = await targetOf(context, flags.server, flags.transport)
      const listing = await listServer(target, kinds, flags.timeout, context.signal)
      if (flags.format === 'json') return context.out.json(listing)
      showListing(context.out, flags.server, listing)
    },
  })
}
