import { FORMAT_FLAG, defineCommand } from '../command.ts'

export const adopt = defineCommand({
  words: 'adopt',
  summary: 'Move servers of your clients into isolation',
  description:
    'Finds MCP servers that your clients start or reach on their own (in the files of all clients that "thv client status" ' +
    'lists), and moves those you choose into Toolhaven: the server becomes a workload, its keys go to the secret store, and ' +
    'the clients are pointed to the workload. Clients that have the same server share one workload.\n\n' +
    'What becomes what: npx PACKAGE becomes npx://PACKAGE, uvx PACKAGE uvx://PACKAGE, go run PACKAGE@VERSION go://PACKAGE, ' +
    'docker run IMAGE that image, and an address a remote server. Paths that the entry names are mounted where they were; ' +
    'nothing else of your machine is seen. With --yes, --accept-mounts confirms these mounts. Every workload has a network of ' +
    'its own: a server that calls services of this machine has to be run with "thv run --allow-host localhost:PORT" instead. ' +
    'What cannot be moved is listed with the reason.\n\n' +
    'Which values are keys: all values of variables and headers, except those that are plainly none (empty, a switch or log ' +
    'level, a number of up to six digits, a path, an address without user and query) under a name that does not say key, ' +
    'token, secret, password or the like. Values are never shown.\n\n' +
    'A client’s file is changed only once the workload runs; nothing but the entry changes in it. If the server does not ' +
    'start, everything is as it was. --undo puts the entries back as they were, byte for byte, and removes the workload and ' +
    'its secrets. The entries as they were are kept in the secret store, never in a readable copy.\n\n' +
    'At a terminal without names you choose from a list. As JSON, --dry-run prints what the API lists, else {"adoptions", ' +
    '"failures"}, and --undo {"undone", "failures"}.',
  args: [{ name: 'name', summary: 'which servers; "thv adopt --dry-run" lists them', variadic: true }],
  flags: {
    all: { type: 'boolean', short: 'a', summary: 'every server that can be moved' },
    dryRun: { type: 'boolean', summary: 'show what would be done, and change nothing' },
    group: { type: 'text', short: 'g', value: 'name', summary: 'group of the workloads' },
    acceptNetwork: { type: 'boolean', summary: 'accept private and loopback addresses that entries name' },
    acceptMounts: {
      type: 'boolean',
      summary: 'accept the mounts that entries ask for; needed with --yes, else you are shown them and asked',
    },
    undo: { type: 'boolean', summary: 'give servers back to their clients; without names: all of them' },
    yes: { type: 'boolean', short: 'y', summary: 'do not ask' },
    ...FORMAT_FLAG,
  },
  examples: [
    { command: 'thv adopt', shows: 'choose from a list' },
    { command: 'thv adopt --dry-run', shows: 'what was found, what it would become, and what cannot be moved' },
    { command: 'thv adopt everything --yes', shows: 'one server, without a question' },
    { command: 'thv adopt --all --group default --yes', shows: 'all that can be moved' },
    { command: 'thv adopt --undo --yes', shows: 'everything back as it was' },
  ],
  run: async (context, { args, flags }) => {
    const { invalid } = await import('@toolhaven/core/errors')
    if (args.length > 0 && flags.all) throw invalid('these exclude one another; give names, or --all')
    if (flags.undo && (flags.dryRun || flags.acceptNetwork || flags.acceptMounts || flags.group !== undefined))
      throw invalid('--undo goes with names, --yes and --format only')
    if (flags.undo) return (await import('../adopt/undo-adoptions.ts')).undoAdoptions(context, args, flags)
    if (flags.dryRun) return (await import('../adopt/show-findings.ts')).showFindings(context, args, flags.format)
    const { adoptServers } = await import('../adopt/adopt-servers.ts')
    await adoptServers(context, args, flags)
  },
})
