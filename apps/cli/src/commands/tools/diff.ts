import { FORMAT_FLAG, defineCommand } from '../../command.ts'

export const toolsDiff = defineCommand({
  words: 'tools diff',
  summary: 'Show how the tools of a workload changed',
  description:
    'Compares the present tools, prompts and resource templates of a workload with the accepted ones: ' +
    'descriptions, parameters, results, annotations and everything else. It compares instructions too. A model does what descriptions say, so read added words as you would read instructions to it. ' +
    'Without a terminal, removed words are marked [-…-] and added ones {+…+}. Invisible characters are ' +
    'escaped, as in \\u{200b}.\n\n' +
    'As JSON: {"name", "mode", "since", "seen_at", "revision", "tools", "prompts", "resource_templates", "instructions", "changes"}.',
  args: [{ name: 'name', summary: 'which workload', required: true, completes: 'workload' }],
  flags: FORMAT_FLAG,
  examples: [
    { command: 'thv tools diff time', shows: 'word by word' },
    { command: 'thv tools diff time --format json', shows: 'for a script' },
  ],
  run: async (context, { args: [name = ''], flags }) => {
    const { diffTools } = await import('../../tools/diff-tools.ts')
    await diffTools(context, name, flags.format)
  },
})
