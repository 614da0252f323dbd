import { defineCommand } from '../../command.ts'

export const secretResetKeyring = defineCommand({
  words: 'secret reset-keyring',
  summary: 'Forget the password kept in the keyring',
  description:
    'Takes the password of the encrypted store out of the keyring of this system. The store and its secrets stay; from the ' +
    'next start of the daemon on, the password must be given again.\n\n' +
    'So that no secret is lost by mistake, you must first give the password: at a question, or through a pipe. A random ' +
    'password, made by "thv secret setup", is known to nobody but the keyring: without it the secrets cannot be read ever ' +
    'again. --force forgets it even so.',
  flags: {
    force: { type: 'boolean', summary: 'without knowing the password; the secrets may be lost for good' },
    yes: { type: 'boolean', short: 'y', summary: 'with --force: do not ask' },
  },
  examples: [
    { command: 'thv secret reset-keyring', shows: 'asks for the password first' },
    { command: 'thv secret reset-keyring --force --yes', shows: 'gives the secrets up' },
  ],
  run: async ({ out, env, signal }, { flags }) => {
    const { unsupported } = await import('@toolhaven/core/errors')
    if (env['THV_HOST'])
      throw unsupported('the keyring is of this machine, and THV_HOST names another daemon\nUnset THV_HOST first.')
    const [{ createOsKeyring }, { pathsOf }, { forgetPassword }] = await Promise.all([
      import('@toolhaven/stores/secrets/keyring'),
      import('../../connect/find-daemon.ts'),
      import('./forget-password.ts'),
    ])
    const mayLose = () => (flags.yes ? Promise.resolve(true) : askToLose(signal))
    const proof = flags.force ? { mayLose } : { password: () => readPassword(signal) }
    const forgotten = await forgetPassword({ keyring: createOsKeyring({ env }), dataDir: pathsOf(env).dataDir }, proof)
    if (!forgotten) return out.note('The keyring holds no password of the secret store: there is nothing to forget.')
    out.line('the keyring no longer holds the password of the secret store')
    out.note(
      'A daemon that runs has the store open until it ends. Afterwards, run "thv secret setup" and give the password, ' +
        'or set THV_SECRETS_PASSWORD for the daemon.',
    )
  },
})

async function readPassword(signal: AbortSignal): Promise<string> {
  const [{ readPipe }, { askHidden }] = await Promise.all([
    import('../../output/read-pipe.ts'),
    import('../../output/prompt.ts'),
  ])
  const instead = 'there is no terminal to ask at; pipe the password of the store in, or see --force in --help'
  return (await readPipe()) ?? askHidden({ message: 'Password of the secret store (not shown)', instead, signal })
}

async function askToLose(signal: AbortSignal): Promise<boolean> {
  const { confirm } = await import('../../output/prompt.ts')
  const message = 'If nobody knows the password, the secrets can never be read again. Forget it?'
  return confirm({
    message,
    instead: 'there is no terminal to ask at; add --yes to forget the password without a question',
    signal,
  })
}
