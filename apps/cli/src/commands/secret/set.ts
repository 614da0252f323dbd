import { FORMAT_FLAG, defineCommand } from '../../command.ts'
import type { DaemonClient } from '../../connect/daemon-client.ts'
import type { ProviderType } from './provider-types.ts'
import { ensureSecretStore } from './with-secret-store.ts'

export const secretSet = defineCommand({
  words: 'secret set',
  summary: 'Store a secret',
  description:
    'Stores a secret, or changes it if it exists. The value comes from a pipe, without the newline at its ' +
    'end, or you are asked for it without echo. It is never an argument, because arguments appear in the history of the shell and in ' +
    'the list of processes.\n\nIf no secret store is set up, the first secret sets up an encrypted one; a terminal is asked before. "thv secret setup" offers others.\n\nA workload gets it with "thv run --secret NAME,target=VARIABLE ...".',
  args: [{ name: 'name', summary: 'name of the secret', required: true, completes: 'secret' }],
  flags: FORMAT_FLAG,
  usageHint: 'Pass only the name. You are asked for the value, or pipe it in: "cat FILE | thv secret set NAME".',
  examples: [
    { command: 'thv secret set github-token', shows: 'asks for the value' },
    { command: 'cat token.txt | thv secret set github-token', shows: 'takes the value from a pipe' },
  ],
  run: async (context, { args: [name = ''], flags }) => {
    const { out, signal } = context
    if (name.includes('=')) {
      const { invalid } = await import('@toolhaven/core/errors')
      // The value is now in the history of the shell. It is not repeated here.
      throw invalid(
        'the name of a secret cannot contain "="; pass only the name: "thv secret set NAME"\n' +
          'You are then asked for the value, or pipe it in. Remove this line from the history of your shell.',
      )
    }
    if (name.trim() === '') {
      const { invalid } = await import('@toolhaven/core/errors')
      throw invalid('the name of a secret is blank; if it is a variable of your shell, set it first')
    }
    if (name.includes(',')) {
      const { invalid } = await import('@toolhaven/core/errors')
      throw invalid(`the name of a secret has no comma, since --secret ${name},target=VARIABLE could not name it`)
    }
    const piped = await pipedValue(name)
    const client = await context.daemon()
    await ensureSecretStore(context, client, { yes: false })
    // Checked before the user types a value that could not be stored.
    const { provider_type: type, capabilities } = await client.call('getSecretsProvider', {}, signal)
    if (!capabilities.can_write) throw await readOnly(type, name)
    const value = piped ?? (await askValue(name, signal))
    const stored = await store(client, name, value, signal)
    if (flags.format === 'json') return out.json(stored)
    out.line(`secret ${name} is stored`)
  },
})

async function readOnly(type: ProviderType, name: string): Promise<Error> {
  const [{ unsupported }, { variableAdvice }] = await Promise.all([
    import('@toolhaven/core/errors'),
    import('@toolhaven/core/secrets/secret-variable'),
  ])
  const elsewhere = {
    '1password': 'add the item in 1Password',
    environment: variableAdvice('set', [name]),
    none: 'choose another one with "thv secret setup"',
    encrypted: 'choose another one with "thv secret setup"',
  }[type]
  return unsupported(`the secrets provider ${type} cannot store secrets; ${elsewhere}`)
}

/** Undefined at a terminal, where the value is asked for later. Nothing is set up for a value that cannot come. */
async function pipedValue(name: string): Promise<string | undefined> {
  const [{ readPipe }, { canAsk }, { invalid }] = await Promise.all([
    import('../../output/read-pipe.ts'),
    import('../../output/prompt.ts'),
    import('@toolhaven/core/errors'),
  ])
  const piped = await readPipe()
  if (piped === '') throw invalid('the value that was piped in is empty; nothing was stored')
  if (piped === undefined && !canAsk()) throw invalid(noTerminal(name))
  return piped
}

async function askValue(name: string, signal: AbortSignal): Promise<string> {
  const { askHidden } = await import('../../output/prompt.ts')
  return askHidden({ message: `Value of ${name} (not shown)`, instead: noTerminal(name), signal })
}

const shellWord = (word: string) => (/^[\w.-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)

const noTerminal = (name: string) =>
  `there is no terminal to ask at; pipe the value in: "cat FILE | thv secret set ${shellWord(name)}"`

async function store(client: DaemonClient, key: string, value: string, signal: AbortSignal) {
  const { isThvError } = await import('@toolhaven/core/errors')
  try {
    return await client.call('createSecret', { body: { key, value } }, signal)
  } catch (error) {
    if (!isThvError(error, 'conflict')) throw error
    return client.call('updateSecret', { params: { key }, body: { value } }, signal)
  }
}
