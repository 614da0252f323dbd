import { FORMAT_FLAG, defineCommand } from '../command.ts'
import { TRANSPORT_FLAG } from '../mcp-client/list-command.ts'

export const call = defineCommand({
  words: 'call',
  summary: 'Call a tool of an MCP server',
  description:
    'Calls a tool through the gateway, as an AI client would, with the same permissions and audit records.\n\n' +
    'Write the arguments of the tool as key=value, or pass each with --arg. The value is text unless the tool expects another type: then it is a number, true or ' +
    'false, or JSON. For a list, write key=value once for each item. --json passes all arguments as one JSON object, ' +
    'and "--json -" reads it from standard input.\n\n' +
    'Text is printed. Images, audio and other files are saved in the current folder or in --output-dir, and their names ' +
    'are printed. At a terminal, you answer the questions of the server. The exit code is 1 if the tool reports an error.',
  args: [
    { name: 'workload', summary: 'name of a workload, or address of a server', required: true, completes: 'workload' },
    { name: 'tool', summary: 'name of the tool', required: true, completes: 'tool' },
    { name: 'key=value', summary: 'arguments of the tool', variadic: true, completes: 'argument' },
  ],
  flags: {
    arg: {
      type: 'list',
      short: 'a',
      value: 'key=value',
      summary: 'an argument of the tool, also one that looks like a flag',
      completes: 'argument',
    },
    json: { type: 'text', value: 'object', summary: 'all arguments, as JSON; - reads standard input' },
    outputDir: { type: 'text', value: 'folder', summary: 'where files are saved (default: the current folder)' },
    ...TRANSPORT_FLAG,
    timeout: {
      type: 'number',
      value: 'seconds',
      summary: 'how long to wait for the answer',
      default: 300,
      min: 1,
      max: 86_400,
    },
    ...FORMAT_FLAG,
  },
  usageHint: 'Write the arguments of the tool as key=value, such as city=Bern, or all of them with --json.',
  examples: [
    { command: 'thv call everything echo message=hello', shows: 'one tool, one argument' },
    { command: `thv call everything echo --json '{"message": "hello"}'`, shows: 'all arguments at once' },
    {
      command: 'thv call everything echo message=hello --format json',
      shows: 'the result as the protocol gives it, for a script',
    },
  ],
  run: async (context, { args: [server = '', tool = '', ...pairs], flags }) => {
    const [{ resolve }, { invalid }, { targetOf }, { callTool }, { callArguments }, { showResult }, { readPipe }] =
      await Promise.all([
        import('node:path'),
        import('@toolhaven/core/errors'),
        import('../mcp-client/target.ts'),
        import('../mcp-client/call-tool.ts'),
        import('../mcp-client/call-arguments.ts'),
        import('../mcp-client/show-result.ts'),
        import('../output/read-pipe.ts'),
      ])
    const json = flags.json === '-' ? await readPipe() : flags.json
    if (flags.json === '-' && !json) throw invalid('--json - reads standard input, but nothing is piped in')
    const target = await targetOf(context, server, flags.transport)
    const { out, signal } = context
    const argumentsFor = (found: Parameters<typeof callArguments>[0]) =>
      callArguments(found, [...pairs, ...flags.arg], json)
    const result = await callTool(target, { tool, argumentsFor, timeoutSeconds: flags.timeout, signal, out })
    if (flags.format === 'json') out.json(result)
    else await showResult({ out, folder: resolve(context.cwd, flags.outputDir ?? '.'), tool }, result)
    if (result.isError === true) process.exitCode = 1
  },
})
