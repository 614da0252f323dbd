import type { Colour } from '../output/output.ts'
import { printable } from '@toolhaven/contract/visible-text'
import { type Server, kindOf } from './servers.ts'

/** What a user wants to know before running a server, line by line. */
export function describeServer(server: Server, { bold, dim }: Pick<Colour, 'bold' | 'dim'>): string[] {
  const { name = '', description, tools, tags = [], repository_url: repository, source, status } = server
  const facts = [
    ['Kind', kindOf(server)],
    ['url' in server ? 'URL' : 'Image', 'url' in server ? server.url : server.image],
    ['Transport', server.transport],
    ['Tier', server.tier],
    ['Status', status === 'active' ? '' : status],
    ['Repository', repository ?? ''],
    ['Source', source ?? ''],
    ['Tags', tags.join(', ')],
    ['Network', networkOf(server)],
    ['Reads', server.permissions?.read?.join(', ') ?? ''],
    ['Writes', server.permissions?.write?.join(', ') ?? ''],
  ] as const
  const shown = facts.filter(([, value]) => value !== '')
  return [
    bold(printable(name)),
    printable(description),
    '',
    ...shown.map(([title, value]) => `${title.padEnd(12)}${printable(value)}`),
    ...section(bold('Tools'), tools),
    ...section(bold('Variables'), (server.env_vars ?? []).map(inputLine)),
    ...section(bold('Headers'), ('headers' in server ? (server.headers ?? []) : []).map(inputLine)),
    '',
    dim(`Run it: ${runLine(server)}`),
  ]
}

function networkOf({ permissions }: Server): string {
  const outbound = permissions?.network?.outbound
  if (!outbound) return ''
  if (outbound.insecure_allow_all) return 'every public host; for a local or private one, add --allow-host HOST:PORT'
  const hosts = [...(outbound.allow_host ?? []), ...(outbound.allow_port ?? []).map((port) => `port ${port}`)]
  return hosts.length > 0 ? hosts.join(', ') : 'nothing'
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', title, ...lines.map((line) => `  ${printable(line)}`)]
}

interface Input {
  name: string
  choices?: readonly string[] | undefined
  description: string
  required: boolean
  default?: string | undefined
  secret?: boolean | undefined
}

function inputLine({ name, description, required, default: preset, secret, choices }: Input): string {
  const marks = [
    required ? 'required' : '',
    secret ? 'secret' : '',
    preset === undefined ? '' : `default ${preset}`,
    choices ? `one of ${choices.join(', ')}` : '',
  ]
  const said = marks.filter((mark) => mark !== '').join(', ')
  return `${name}${said === '' ? '' : ` (${said})`}: ${description}`
}

/** A command that runs the server, with every required value. A secret is given by its name in the store. */
function runLine(server: Server): string {
  const needed = (server.env_vars ?? []).filter((input) => input.required && input.default === undefined)
  const options = needed.map(({ name, secret }) => (secret ? `--secret ${name},target=${name}` : `--env ${name}=VALUE`))
  const headers = ('headers' in server ? (server.headers ?? []) : []).filter(
    (header) => header.required && header.default === undefined,
  )
  const needs = 'args_needed' in server && server.args_needed ? ['--', ...server.args_needed] : []
  const words = [...options, ...headers.map(({ name }) => `--header ${name}=VALUE`), ...needs]
  return printable(['thv run', server.name ?? '', ...words].join(' '))
}
