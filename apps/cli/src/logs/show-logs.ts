import { invalid } from '@toolhaven/core/errors'
import type { DaemonClient } from '../connect/daemon-client.ts'
import type { Context } from '../context.ts'
import { orUnknownWorkload } from '../lifecycle/or-unknown.ts'
import { type Line, createLineWriter, inOrder } from './line-writer.ts'
import { timeOf } from './since.ts'

export interface LogOptions {
  follow: boolean
  tail: number | undefined
  since: string | undefined
  timestamps: boolean
  previous: boolean
  format: string
}

/** The maximum number that the daemon returns. */
const ALL_LINES = 10_000
const DEFAULT_LINES = 100

export async function showLogs(context: Context, args: readonly string[], options: LogOptions): Promise<void> {
  const { out, signal } = context
  const { follow, previous } = options
  if (follow && previous) throw invalid('--previous shows old output, and --follow shows new output; pass one of them')
  const names = [...new Set(args)]
  const since = options.since === undefined ? undefined : timeOf(options.since, Date.now())
  const tail = String(options.tail ?? (since === undefined ? DEFAULT_LINES : ALL_LINES))
  const client = await context.daemon()
  const write = createLineWriter(out, names, options)
  if (follow) return followAll(client, names, { tail, since }, write, signal)
  const perWorkload = await Promise.all(
    names.map(async (name) => {
      const query = { tail, since, previous }
      const { lines } = await orUnknownWorkload(client, [name], signal, () =>
        client.call('readLogs', { params: { name }, query }, signal),
      )
      return lines.map((line: Line) => ({ name, line }))
    }),
  )
  for (const { name, line } of inOrder(perWorkload)) write(name, line)
  for (const [at, name] of names.entries()) if (perWorkload[at]?.length === 0) out.note(nothing(name, options))
}

function nothing(name: string, { previous, since, tail }: LogOptions): string {
  if (tail === 0) return `No lines of ${name} were asked for (--tail 0).`
  if (previous) return `The log of ${name} has no earlier start with output.`
  return since === undefined ? `${name} has written nothing yet.` : `${name} has written nothing since then.`
}

async function followAll(
  client: DaemonClient,
  names: readonly string[],
  range: { tail: string; since: string | undefined },
  write: (name: string, line: Line) => void,
  signal: AbortSignal,
): Promise<void> {
  // All streams end when one fails, so that an unknown name is not overlooked among other lines.
  const failed = new AbortController()
  const limit = AbortSignal.any([signal, failed.signal])
  const followOne = async (name: string) => {
    const query = { ...range, details: true }
    const lines = await orUnknownWorkload(client, [name], limit, () =>
      client.stream('followLogs', { params: { name }, query }, limit),
    )
    for await (const data of lines) write(name, parseLine(data))
  }
  try {
    await Promise.all(names.map(followOne))
  } catch (error) {
    // Ctrl-C ends it normally.
    if (!signal.aborted) throw error
  } finally {
    failed.abort()
  }
}

function parseLine(data: string): Line {
  // oxlint-disable-next-line typescript/consistent-type-assertions -- sent by the daemon, which is this very program
  return JSON.parse(data) as Line
}
