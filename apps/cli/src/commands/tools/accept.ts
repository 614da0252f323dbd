import { FORMAT_FLAG, defineCommand } from '../../command.ts'

export const toolsAccept = defineCommand({
  words: 'tools accept',
  summary: 'Accept changed tools of a workload',
  description:
    'Shows how tools, prompts, resource templates and instructions changed, asks, and accepts ' +
    'them. With --tools-changed block, clients can then see and use them. Only the changes that you saw are accepted: if ' +
    'the server has changed again in the meantime, nothing is. If you name tools, or pass --prompt, --template or ' +
    '--instructions, only these are accepted.',
  args: [
    { name: 'name', summary: 'which workload', required: true, completes: 'workload' },
    { name: 'tools', summary: 'only these tools (default: all changes)', variadic: true },
  ],
  flags: {
    prompt: { type: 'list', value: 'name', summary: 'only this prompt; may be repeated' },
    template: { type: 'list', value: 'uri-template', summary: 'only this resource template; may be repeated' },
    instructions: { type: 'boolean', summary: 'only the instructions of the server' },
    yes: { type: 'boolean', short: 'y', summary: 'accept without asking' },
    ...FORMAT_FLAG,
  },
  examples: [
    { command: 'thv tools accept time', shows: 'shows the changes, then asks' },
    { command: 'thv tools accept time --yes', shows: 'without asking, for a script' },
    { command: 'thv tools accept time --instructions', shows: 'only the instructions of the server' },
  ],
  run: async (context, { args: [name = '', ...tools], flags }) => {
    const { acceptTools } = await import('../../tools/accept-tools.ts')
    await acceptTools(context, name, tools, flags)
  },
})
