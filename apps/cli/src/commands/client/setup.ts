import { defineCommand } from '../../command.ts'
import { registerClients } from './register-clients.ts'

export const clientSetup = defineCommand({
  words: 'client setup',
  summary: 'Choose clients to register',
  description:
    'Asks which of the installed clients to register, and with which groups. It needs a terminal. In a script, use ' +
    '"thv client register".',
  examples: [{ command: 'thv client setup', shows: 'a list to pick from' }],
  run: async (context) => {
    const { signal, out } = context
    const { canAsk, chooseSeveral } = await import('../../output/prompt.ts')
    const { invalid } = await import('@toolhaven/core/errors')
    const instead =
      '"thv client setup" asks questions and needs a terminal; use "thv client register CLIENT --group NAME"'
    if (!canAsk()) throw invalid(instead)
    const daemon = await context.daemon()
    const { clients } = await daemon.call('discoverClients', {}, signal)
    const installed = clients.filter((client) => client.installed)
    if (installed.length === 0)
      return out.note('No known client is installed here; "thv client status" lists the known ones.')
    const { clientTitle } = await import('@toolhaven/contract/client-titles')
    const choices = installed.map(({ client_type: value, registered }) => ({
      ...{ value, label: clientTitle(value) },
      ...(registered && { hint: 'registered' }),
    }))
    const already = installed.filter(({ registered }) => registered).map((client) => client.client_type)
    const chosen = await chooseSeveral(
      { message: 'Which clients should see your workloads?', instead, signal },
      choices,
      already,
    )
    const { groups } = await daemon.call('listGroups', {}, signal)
    const names = groups.map(({ name }) => name)
    const message = 'Which groups should they see?'
    const inGroups =
      names.length === 1
        ? names
        : await chooseSeveral(
            { message, instead, signal },
            names.map((value) => ({ value })),
            ['default'],
          )
    const wanted = installed.filter((client) => chosen.includes(client.client_type))
    await registerClients(context, daemon, { clients: wanted, groups: inGroups, format: 'text' })
  },
})
