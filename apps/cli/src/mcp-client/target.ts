import type { Workload } from '@toolhaven/contract/workloads'
import { conflict, invalid } from '@toolhaven/core/errors'
import type { Context } from '../context.ts'
import { orUnknownWorkload } from '../lifecycle/or-unknown.ts'
import { printable } from '@toolhaven/contract/visible-text'

export interface McpTarget {
  /** The name that the user typed. */
  name: string
  url: URL
  /** The transports to try, in this order. */
  transports: readonly ('sse' | 'streamable-http')[]
}

/** Resolves the address and the possible transports of a server. Only the name of a workload needs the daemon. */
export async function targetOf(
  context: Pick<Context, 'daemon' | 'signal'>,
  server: string,
  transport: string,
): Promise<McpTarget> {
  const isUrl = /^https?:\/\//i.test(server)
  if (!isUrl && server.includes('://'))
    throw invalid(`${server} is not the address of a server: an address begins with http:// or https://`)
  const url = URL.parse(isUrl ? server : await urlOfWorkload(context, server))
  if (!url) throw invalid(`${server} is not a valid address`)
  return { name: server, url, transports: transportsOf(url, transport, isUrl) }
}

function transportsOf(url: URL, asked: string, isForeign: boolean): McpTarget['transports'] {
  if (asked === 'sse' || asked === 'streamable-http') return [asked]
  if (url.pathname.endsWith('/sse')) return ['sse']
  // A server older than streamable HTTP answers a POST with an error. It is then tried with SSE.
  return isForeign ? ['streamable-http', 'sse'] : ['streamable-http']
}

async function urlOfWorkload({ daemon, signal }: Pick<Context, 'daemon' | 'signal'>, name: string): Promise<string> {
  const client = await daemon()
  const workload = await orUnknownWorkload(client, [name], signal, () =>
    client.call('getWorkload', { params: { name } }, signal),
  )
  refuseUnreachable(workload)
  return workload.url
}

/** One line with the problem, one line with what to do. */
export function refuseUnreachable({ name, status, status_context: why }: Workload): void {
  if (status === 'running' || status === 'unhealthy') return
  const advice =
    status === 'stopped'
      ? `"thv restart ${name}" starts it.`
      : status === 'starting'
        ? `Try again when "thv list" says that it is running.`
        : `"thv logs ${name}" shows its output, "thv restart ${name}" tries again.`
  throw conflict(printable(`${name} is ${status}${why === '' ? '' : `: ${why}`}`) + `\n${advice}`)
}
