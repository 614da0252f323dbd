import { defineCommand } from '../command.ts'
import { EDIT_FLAGS } from '../edit/edit-flags.ts'

const STAYS =
  'The name and the port of a workload stay. Create a new one: "thv export NAME copy.json", then ' +
  '"thv run --from-config copy.json --name OTHER --proxy-port PORT".'

export const edit = defineCommand({
  words: 'edit',
  summary: 'Change a workload',
  description:
    'Changes the configuration of a workload and restarts it. The command accepts the options of "thv run". Options that may be ' +
    'repeated, such as --env, --volume, --secret and --header, add an entry, or replace the one of the same ' +
    'name. --tools replaces the whole list. Words after -- replace the arguments of the server, or the command that starts your own ' +
    'server in a folder.\n\n' +
    '--unset removes an option: --unset memory, or one of its entries: --unset env=API_KEY. "--unset args" removes the arguments ' +
    'of the server, and --unset write makes its folder read-only again.\n\n' +
    'You see the changes first and are asked to confirm them; without a terminal, pass --yes. The server restarts, and its address stays. ' +
    'To change the name or the port, create a new workload.\n\n' +
    'As JSON: {"name", "applied", "restarts", "changes"}, each change with its option, whether it is ' +
    'added, changed or removed, from and to. Values that may be keys are not shown.',
  args: [
    { name: 'name', summary: 'which workload', required: true, completes: 'workload' },
    { name: 'args', summary: 'arguments of the server, after --', variadic: true, afterDashes: () => undefined },
  ],
  flags: EDIT_FLAGS,
  foreignOptions: { '--name': STAYS, '-n': STAYS, '--proxy-port': STAYS, '-p': STAYS, '--port': STAYS },
  usageHint: 'Options of the server follow "--": thv edit NAME -- --verbose.',
  examples: [
    { command: 'thv edit time --env TZ=UTC --dry-run', shows: 'what would change' },
    { command: 'thv edit time --env TZ=UTC --tools get_current_time --yes', shows: 'without asking' },
    {
      command: 'thv edit time --allow-host api.example.com --permission-profile none --yes',
      shows: 'one host and no other',
    },
  ],
  run: async (context, { args, flags }) => {
    const { editWorkload } = await import('../edit/edit-workload.ts')
    await editWorkload(context, args, flags)
  },
})
