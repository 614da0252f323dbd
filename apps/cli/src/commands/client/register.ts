import { FORMAT_FLAG, defineCommand } from '../../command.ts'
import { knownClients } from './known-clients.ts'
import { registerClients } from './register-clients.ts'

export const clientRegister = defineCommand({
  words: 'client register',
  summary: 'Register clients',
  description:
    'Registers clients with groups (default: the group "default"). Toolhaven then keeps their configuration files up to date with the ' +
    'workloads of those groups. Your own entries do not change. A client that is not installed yet gets its entries ' +
    'when it is.\n\n"thv client status" shows the names. Both spellings work (ClaudeCode or claude-code).',
  args: [{ name: 'client', summary: 'which clients', required: true, variadic: true, completes: 'client' }],
  flags: {
    group: { type: 'list', short: 'g', value: 'name', summary: 'a group that they see; may be repeated' },
    ...FORMAT_FLAG,
  },
  examples: [
    { command: 'thv client register cursor', shows: 'Cursor sees the workloads of the group default' },
    { command: 'thv client register claude-code vscode --group default', shows: 'two clients, with a named group' },
  ],
  run: async (context, { args, flags }) => {
    const daemon = await context.daemon()
    const clients = await knownClients(daemon, args, context.signal)
    await registerClients(context, daemon, { clients, groups: flags.group, format: flags.format })
  },
})
