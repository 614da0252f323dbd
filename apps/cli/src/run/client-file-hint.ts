import { otherProgramHint } from './server-hint.ts'

/** Where AI clients keep their servers. Goose and Continue write YAML, Codex TOML. */
const KEYS = ['mcpServers', 'servers', 'context_servers', 'mcp_servers', 'extensions'] as const

/** AI clients and READMEs list servers in this form. */
export function clientFileHint(content: unknown): string | undefined {
  const key = KEYS.find((each) => isClientKey(each, Object(content)[each]))
  if (key === undefined) return undefined
  return clientFileText(key, Object.values(Object(content)[key]))
}

/** The same for a file that is no JSON: only its first words are looked at. */
export function clientTextHint(text: string): string | undefined {
  const [, quoted, bare, ofTable] =
    /^\s*"(mcpServers|servers|context_servers)"\s*:|^(mcpServers|servers|context_servers|extensions):|^\[(mcp_servers)[.\]]/m.exec(
      text,
    ) ?? []
  const key = quoted ?? bare ?? ofTable
  return key === undefined ? undefined : clientFileText(key, [])
}

/** Other files have entries of these names too; those of clients are started by a command or reached at a URL. */
function isClientKey(key: string, entries: unknown): boolean {
  if (typeof entries !== 'object' || entries === null) return false
  return key === 'mcpServers' || Object.values(entries).some((entry) => isStarted(entry))
}

const isStarted = (entry: unknown) => typeof (Object(entry).command ?? Object(entry).url) === 'string'

function clientFileText(key: string, entries: readonly unknown[]): string {
  const [example] = entries.map(commandFor).filter((each) => each !== undefined)
  const how = example ?? 'Run such a server by its package, for example with "thv run npx://NAME".'
  return `It lists "${key}", like the files of AI clients. ${how} "thv adopt" shows the servers of your clients and moves them here.`
}

function commandFor(entry: unknown): string | undefined {
  const { command, args, url }: Record<string, unknown> = Object(entry)
  if (typeof url === 'string' && /^https?:\/\/[^\s"]+$/.test(url)) return `Write it as "thv run ${url}".`
  const words = Array.isArray(args) ? args.map(String) : []
  return typeof command === 'string' ? otherProgramHint([command, ...words]) : undefined
}
