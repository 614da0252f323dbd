import { FORMAT_FLAG, defineCommand } from '../command.ts'

export const adopt = defineCommand({
  words: 'adopt',
  summary: 'Move servers of your clients into isolation',
  description:
    'Finds MCP servers that your clients start or reach on their own (in the files of all clients that "thv client status" ' +
    'lists), and moves those that you choose into Toolhaven: the server becomes a workload, its keys go to the secret store, and ' +
    'the clients point to the workload. Clients that use the same server share one workload.\n\n' +
    'An entry becomes a workload as follows: npx PACKAGE becomes npx://PACKAGE, uvx PACKAGE uvx://PACKAGE, go run PACKAGE@VERSION go://PACKAGE, ' +
    'docker run IMAGE that image, and an address a remote server. Paths that the entry names are mounted at the same place; ' +
    'the server sees no other files of your machine. With --yes, --accept-mounts confirms these mounts. Every workload has its own ' +
    'network. To run a server that calls services of this machine, use "thv run --allow-host localhost:PORT" instead. ' +
    'Servers that cannot be moved are listed with the reason.\n\n' +
    'All values of variables and headers count as keys, except obvious non-keys (empty, a switch or log ' +
    'level, a number of up to six digits, a path, an address without user and query) whose name does not suggest a key, ' +
    'token, secret or password. Values are never shown. If no secret store is set up, the first key sets up an encrypted one; a terminal is asked before.\n\n' +
    'A client’s file changes only when the workload runs, and only the entry changes in it. If the server does not ' +
    'start, nothing is changed. --undo restores the entries byte for byte, and removes the workload and ' +
    'its secrets. The original entries are kept in the secret store, never in a readable copy.\n\n' +
    'At a terminal, without names, you choose from a list. As JSON, --dry-run prints what the API lists; otherwise the output is {"adoptions", ' +
    '"failures"}, with --undo {"undone", "failures"}.',
  args: [{ name: 'name', summary: 'which servers; "thv adopt --dry-run" lists them', variadic: true }],
  flags: {
    all: { type: 'boolean', short: 'a', summary: 'every server that can be moved' },
    dryRun: { type: 'boolean', summary: 'show what would change, and change nothing' },
    group: { type: 'text', short: 'g', value: 'name', summary: 'group of the workloads' },
    acceptNetwork: { type: 'boolean', summary: 'accept private and loopback addresses that entries name' },
    acceptMounts: {
      type: 'boolean',
      summary: 'accept the mounts that entries ask for; needed with --yes, otherwise you are asked',
    },
    undo: { type: 'boolean', summary: 'give servers back to their clients (default: all of them)' },
    yes: { type: 'boolean', short: 'y', summary: 'do not ask' },
    ...FORMAT_FLAG,
  },
  examples: [
    { command: 'thv adopt', shows: 'choose from a list' },
    { command: 'thv adopt --dry-run', shows: 'the servers found, their workloads, and what cannot be moved' },
    { command: 'thv adopt everything --yes', shows: 'one server, without asking' },
    { command: 'thv adopt --all --group default --yes', shows: 'all that can be moved' },
    { command: 'thv adopt --undo --yes', shows: 'restore everything' },
  ],
  run: async (context, { args, flags }) => {
    const { invalid } = await import('@toolhaven/core/errors')
    if (args.length > 0 && flags.all) throw invalid('names and --all cannot be used together\nPass one of them.')
    if (flags.undo && (flags.dryRun || flags.acceptNetwork || flags.acceptMounts || flags.group !== undefined))
      throw invalid('--undo accepts only names, --yes and --format')
    if (flags.undo) return (await import('../adopt/undo-adoptions.ts')).undoAdoptions(context, args, flags)
    if (flags.dryRun) return (await import('../adopt/show-findings.ts')).showFindings(context, args, flags.format)
    const { adoptServers } = await import('../adopt/adopt-servers.ts')
    await adoptServers(context, args, flags)
  },
})
