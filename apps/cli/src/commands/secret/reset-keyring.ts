import { defineCommand } from '../../command.ts'

const WITHOUT_KEYRING =
  'Nothing was removed. Without a keyring, the password is in THV_SECRETS_PASSWORD or in the file secrets.key beside the store.'

export const secretResetKeyring = defineCommand({
  words: 'secret reset-keyring',
  summary: 'Forget the password kept in the keyring',
  description:
    'Removes the password of the encrypted store from the keyring of this system. The store and its secrets stay. From the ' +
    'next start of the daemon on, you must enter the password again.\n\n' +
    'So that you lose no secret by mistake, you must first enter the password, or pipe it in. Only the keyring knows a random ' +
    'password that "thv secret setup" made: without it, the secrets can never be read ' +
    'again. --force removes it anyway.',
  flags: {
    force: { type: 'boolean', summary: 'do not ask for the password; the secrets may be lost permanently' },
    yes: { type: 'boolean', short: 'y', summary: 'with --force: do not ask' },
  },
  examples: [
    { command: 'thv secret reset-keyring', shows: 'asks for the password first' },
    { command: 'thv secret reset-keyring --force --yes', shows: 'gives up the secrets' },
  ],
  run: async ({ out, env, signal }, { flags }) => {
    const { isThvError, unavailable, unsupported } = await import('@toolhaven/core/errors')
    if (env['THV_HOST'])
      throw unsupported(
        'this command changes the keyring of this machine, but THV_HOST names another daemon\nUnset THV_HOST first.',
      )
    const [{ createOsKeyring }, { pathsOf }, { forgetPassword }] = await Promise.all([
      import('@toolhaven/stores/secrets/keyring'),
      import('../../connect/find-daemon.ts'),
      import('./forget-password.ts'),
    ])
    const mayLose = () => (flags.yes ? Promise.resolve(true) : askToLose(signal))
    const proof = flags.force ? { mayLose } : { password: () => readPassword(signal) }
    const place = { keyring: createOsKeyring({ env }), dataDir: pathsOf(env).dataDir }
    const forgotten = await forgetPassword(place, proof).catch((error: unknown) => {
      if (!isThvError(error, 'unavailable')) throw error
      throw unavailable(`${error.message}\n${WITHOUT_KEYRING}`, error)
    })
    if (!forgotten) return out.note('The keyring has no password of the secret store, so there is nothing to remove.')
    out.line('the keyring no longer holds the password of the secret store')
    out.note(
      'A running daemon keeps the store open until it ends. Afterwards, run "thv secret setup" and enter the password, ' +
        'or set THV_SECRETS_PASSWORD for the daemon.',
    )
  },
})

async function readPassword(signal: AbortSignal): Promise<string> {
  const [{ readPipe }, { askHidden }] = await Promise.all([
    import('../../output/read-pipe.ts'),
    import('../../output/prompt.ts'),
  ])
  const instead = 'there is no terminal to ask at; pipe in the password of the store, or see --force in --help'
  return (await readPipe()) ?? askHidden({ message: 'Password of the secret store (not shown)', instead, signal })
}

async function askToLose(signal: AbortSignal): Promise<boolean> {
  const { confirm } = await import('../../output/prompt.ts')
  const message = 'Without the password, the secrets can never be read again. Remove it from the keyring?'
  return confirm({
    message,
    instead: 'there is no terminal to ask at; add --yes to remove the password without asking',
    signal,
  })
}
