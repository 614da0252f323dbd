import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { DaemonClient } from '../connect/daemon-client.ts'
import type { Context } from '../context.ts'
import { WorkloadFailed } from '../output/wait-for-outcome.ts'
import { consoleFolder } from './console-folder.ts'

type Asking = Pick<Context, 'out' | 'env' | 'signal'>

/**
 * Where the console shows this workload, as a line for a person at a terminal. Undefined where no browser would see the page at
 * once: without a built console, where a login is needed, and for a daemon on another machine.
 */
export async function pageOfServer(
  { out, env, signal }: Asking,
  client: DaemonClient,
  name: string,
  { place = '', folder = consoleFolder() }: { place?: '' | '/tools'; folder?: string } = {},
): Promise<string | undefined> {
  const elsewhere = env['THV_HOST']
  if (!out.isTerminal || (elsewhere && !elsewhere.startsWith('unix:'))) return undefined
  if (!existsSync(join(folder, 'index.html'))) return undefined
  try {
    const { login } = await client.call('getConsoleSession', {}, signal)
    if (login !== 'not-needed') return undefined
    const { url } = await client.call('createConsoleLink', {}, signal)
    return `In the browser: ${new URL(`/servers/${name}${place}`, url).href}`
  } catch {
    // The failure that is being reported matters more than this line.
    return undefined
  }
}

/** A failure with the pages of the workloads that failed. */
export async function withPages(
  context: Asking,
  client: DaemonClient,
  { message, names }: WorkloadFailed,
): Promise<WorkloadFailed> {
  const pages = await Promise.all(names.map((name) => pageOfServer(context, client, name)))
  return new WorkloadFailed([message, ...pages.filter((page) => page !== undefined)].join('\n'), names)
}
