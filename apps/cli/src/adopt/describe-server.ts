import type { ForeignServer } from '@toolhaven/contract/adopt'
import type { Output } from '../output/output.ts'
import { printable } from '@toolhaven/contract/visible-text'

/** One server as a block of lines: what it is now and what it would become. */
export function describeServer({ colour }: Output, server: ForeignServer): string[] {
  const clients = server.found_in.map(({ client_type: client, key }) =>
    key === server.name ? client : `${client} as ${key}`,
  )
  const title = `${colour.bold(printable(server.name))} ${printable(`(${clients.join(', ')})`)}`
  const rows: [string, string][] = [
    ['now', server.command],
    ['becomes', becomes(server)],
    ...named('keys', server, true),
    ...named('readable', server, false),
    ...(server.becomes?.volumes ?? []).map((volume): [string, string] => ['mounts', volume]),
    ...server.notes.map((note): [string, string] => ['note', note]),
  ]
  return [title, ...rows.map(([what, text]) => `  ${what.padEnd(9)}${printable(text)}`)]
}

function becomes({ becomes: plan, obstacle, shares }: ForeignServer): string {
  if (!plan) return `cannot be moved: ${obstacle}`
  const target = [plan.image ?? plan.url, ...plan.cmd_arguments].join(' ')
  return shares === undefined ? target : `${target} (the workload ${shares}, which runs already)`
}

function named(what: string, { env_vars: variables, headers }: ForeignServer, secret: boolean): [string, string][] {
  const names = [
    ...variables.filter((each) => each.secret === secret).map(({ name }) => name),
    ...headers.filter((each) => each.secret === secret).map(({ name }) => `header ${name}`),
  ]
  return names.length > 0 ? [[what, names.join(', ')]] : []
}
