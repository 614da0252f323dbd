import { ThvError, isThvError } from '@toolhaven/core/errors'
import { FORMAT_FLAG, defineCommand } from '../../command.ts'

export const configSetRegistry = defineCommand({
  words: 'config set-registry',
  summary: 'Use another registry',
  description:
    'Changes the source of the registry to a URL or a file. The new source is read and checked first. If it is invalid, the old ' +
    'one stays. A URL is the address of a registry file, or the base address of an MCP registry (API v0.1); thv finds out which. It must use https. A URL on a private network or on this machine needs --allow-private-ip and ' +
    'may use http.',
  args: [{ name: 'source', summary: 'a URL, or the path of a file', required: true }],
  flags: {
    allowPrivateIp: { type: 'boolean', short: 'p', summary: 'the URL may be on a private network' },
    ...FORMAT_FLAG,
  },
  examples: [
    { command: 'thv config set-registry ./registry.json', shows: 'a file' },
    {
      command: 'thv config set-registry https://localhost:18443/registry.json --allow-private-ip',
      shows: 'a URL, here of this machine',
    },
  ],
  run: async ({ daemon, out, cwd, signal }, { args: [source = ''], flags }) => {
    const body = /^https?:\/\//i.test(source)
      ? { url: source, allow_private_ip: flags.allowPrivateIp }
      : { local_path: await pathOf(source, cwd) }
    const client = await daemon()
    // The list of a large MCP registry takes hundreds of requests.
    out.transient('reading the registry')
    const changed = await client
      .call('updateRegistry', { params: { name: 'default' }, body }, signal)
      .catch(async (error: unknown) => {
        throw await withNextStep(error, 'url' in body)
      })
    out.transient('')
    if (flags.format === 'json') return out.json(changed)
    out.line(changed.message)
  },
})

/** The daemon says what is wrong with the source, and keeps the one it has. */
async function withNextStep(error: unknown, isUrl: boolean): Promise<unknown> {
  if (!isThvError(error, 'invalid')) return error
  const { inFlags } = await import('../../output/in-flags.ts')
  const { message } = inFlags(error)
  const check = message.includes('unknown field mcpServers')
    ? 'It is a file of an AI client, whose servers "thv adopt" moves here. Name the file of a registry'
    : message.includes(' is not a registry: ')
      ? 'Correct the file, or name another one'
      : `Check the ${isUrl ? 'address' : 'path'}`
  const next = `${check}. Nothing was changed: "thv config get-registry" shows the registry in use.`
  return new ThvError(error.code, `${message}\n${next}`, { cause: error })
}

async function pathOf(source: string, cwd: string): Promise<string> {
  const [{ resolve }, { fileURLToPath }, { invalid }] = await Promise.all([
    import('node:path'),
    import('node:url'),
    import('@toolhaven/core/errors'),
  ])
  if (!source.includes('://')) return resolve(cwd, source)
  const url = URL.parse(source)
  if (url?.protocol !== 'file:' || url.host !== '')
    throw invalid(`"${source}" is not a registry source; pass an http(s) URL or a file`)
  return fileURLToPath(url)
}
