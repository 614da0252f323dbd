import { FORMAT_FLAG, defineCommand } from '../command.ts'

const OWN_CHOICE = '"thv edit NAME --server SERVER@VERSION" takes a version of your choice.'

export const upgrade = defineCommand({
  words: 'upgrade',
  summary: 'Upgrade workloads to the newest version of their server',
  description:
    'Looks for a newer version where the present one came from: the registry for a workload that was run by its name there, ' +
    'otherwise npm, PyPI, the Go module proxy or the tags of the image. Without names, it checks every workload.\n\n' +
    'Shows what changes (the version, variables, tools and permissions) and asks. Without a terminal, pass --yes, and ' +
    '--accept-network if the new version asks for more hosts. The server restarts, and its address stays. If the new version does not start, the workload goes back to the old one, ' +
    'and you see why. A stopped workload is started for the upgrade and stopped again.\n\n' +
    'A pre-release is offered only to a workload that runs one. A tag such as 1.2.3-alpine becomes a newer tag of the same form. ' +
    'An image that is pinned to a digest does not change. Changed tools are not accepted: see "thv tools diff".\n\n' +
    'The exit code is 1 if a workload could not be upgraded or its source did not answer. --check changes nothing and ends with 0.\n\n' +
    'As JSON: {"upgrades"}, each with name, state, source, from, to and reason; without --check {"results", "failures"}.',
  args: [{ name: 'workload', summary: 'which ones (default: all)', variadic: true, completes: 'workload' }],
  flags: {
    check: { type: 'boolean', summary: 'only list which workloads have a newer version' },
    env: { type: 'list', short: 'e', value: 'KEY=VALUE', summary: 'variable that the new version needs' },
    secret: {
      type: 'list',
      value: 'NAME,target=VARIABLE',
      summary: 'stored secret that the new version needs',
    },
    acceptNetwork: {
      type: 'boolean',
      summary: 'accept hosts that only the new version asks for, including private and loopback addresses',
    },
    acceptMounts: { type: 'boolean', summary: 'accept the mounts that the registry entry asks for' },
    yes: { type: 'boolean', short: 'y', summary: 'do not ask' },
    ...FORMAT_FLAG,
  },
  foreignOptions: {
    '--all': 'Without names, "thv upgrade" checks every workload. Remove the option.',
    '-a': 'Without names, "thv upgrade" checks every workload. Remove the option.',
    '--to': OWN_CHOICE,
    '--version': OWN_CHOICE,
  },
  examples: [
    { command: 'thv upgrade --check', shows: 'which workloads have a newer version' },
    { command: 'thv upgrade time --yes', shows: 'one workload, without asking' },
    { command: 'thv upgrade --yes', shows: 'all of them' },
    { command: 'thv upgrade time --check --format json', shows: 'for a script' },
  ],
  run: async (context, { args, flags }) => {
    const { checkUpgrades, upgradeWorkloads } = await import('../upgrade/upgrade-workloads.ts')
    await (flags.check ? checkUpgrades : upgradeWorkloads)(context, args, flags)
  },
})
