import { FORMAT_FLAG, defineCommand } from '../../command.ts'
import { printable } from '@toolhaven/contract/visible-text'
import { orSecretMeant } from './or-secret-meant.ts'

export const secretGet = defineCommand({
  words: 'secret get',
  summary: 'Show the value of a secret',
  description:
    'Prints the value of a secret. It reads the value over the unix socket of the daemon on this machine, which only you can open. ' +
    'The API never sends a value over the network, so the command does not work with THV_HOST.',
  args: [{ name: 'name', summary: 'which secret', required: true, completes: 'secret' }],
  flags: FORMAT_FLAG,
  examples: [{ command: 'thv secret get github-token', shows: 'the value, in the clear' }],
  run: async ({ daemon, out, env, signal }, { args: [name = ''], flags }) => {
    if (env['THV_HOST']) {
      const { unsupported } = await import('@toolhaven/core/errors')
      throw unsupported(
        'secrets can be read only over the local socket, and THV_HOST names a daemon on the network\nUnset THV_HOST, or run this command on the machine of that daemon.',
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
    // A pipe gets every byte. On a terminal, control characters are escaped.
    out.line(out.isTerminal ? secret.value.split('\n').map(printable).join('\n') : secret.value)
  },
})
