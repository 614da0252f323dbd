import { FORMAT_FLAG, defineCommand } from '../../command.ts'
import { printable } from '@toolhaven/contract/visible-text'
import { orSecretMeant } from './or-secret-meant.ts'

export const secretGet = defineCommand({
  words: 'secret get',
  summary: 'Show the value of a secret',
  description:
    'Prints the value of a secret. It is read over the unix socket of the daemon on this machine, which only you can open; ' +
    'over the network no value is ever given out, so it does not work with THV_HOST.',
  args: [{ name: 'name', summary: 'which secret', required: true, completes: 'secret' }],
  flags: FORMAT_FLAG,
  examples: [{ command: 'thv secret get github-token', shows: 'the value, in the clear' }],
  run: async ({ daemon, out, env, signal }, { args: [name = ''], flags }) => {
    if (env['THV_HOST']) {
      const { unsupported } = await import('@toolhaven/core/errors')
      throw unsupported(
        'a secret is read over the local socket only, and THV_HOST names a daemon on the network\nUnset THV_HOST, or run this where that daemon runs.',
      )
    }
    const client = await daemon()
    const secret = await orSecretMeant(
      client,
      name,
      () => client.call('readSecret', { params: { key: name } }, signal),
      signal,
    )
    if (flags.format === 'json') return out.json(secret)
    // A pipe gets every byte; a terminal must not be driven by them.
    out.line(out.isTerminal ? secret.value.split('\n').map(printable).join('\n') : secret.value)
  },
})
