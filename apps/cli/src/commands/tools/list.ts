import { FORMAT_FLAG, defineCommand } from '../../command.ts'

export const toolsList = defineCommand({
  words: 'tools list',
  summary: 'List the tools that you accepted, and what changed since',
  description:
    'Shows the accepted tools, prompts, resource templates and instructions of a workload, each with the hash of ' +
    'its whole definition, and whether they changed. They are accepted when the workload starts for the first time. "thv mcp list tools" shows what ' +
    'clients see now instead: without hidden tools, and with your own names for tools.\n\n' +
    'As JSON: {"name", "mode", "since", "seen_at", "revision", "tools", "prompts", "resource_templates", "instructions", "changes"}.',
  args: [{ name: 'name', summary: 'which workload', required: true, completes: 'workload' }],
  flags: FORMAT_FLAG,
  examples: [
    { command: 'thv tools list time', shows: 'the tools, and whether they changed' },
    { command: 'thv tools list time --format json', shows: 'with their definitions, for a script' },
  ],
  run: async (context, { args: [name = ''], flags }) => {
    const { listTools } = await import('../../tools/list-tools.ts')
    await listTools(context, name, flags.format)
  },
})
