import { ThvError, isThvError } from '@toolhaven/core/errors'
import { LAST_OUTPUT, isOurLine } from '@toolhaven/core/workloads/last-words'
import type { DaemonClient } from '../connect/daemon-client.ts'
import { pageOfServer } from '../console/page-of-server.ts'
import type { Context } from '../context.ts'
import { printable } from '@toolhaven/contract/visible-text'
import { type WorkloadFailed, waitForOutcome } from '../output/wait-for-outcome.ts'

const LAST_LINES = 10

/**
 * Reports that the server of a new workload never worked. The workload is removed, because the next try would
 * find its name taken. A remote server is kept: it does not run on this machine, and it may come back soon.
 */
export async function failedStart(
  context: Context,
  client: DaemonClient,
  name: string,
  { error, keep }: { error: WorkloadFailed; keep: boolean },
): Promise<ThvError> {
  const { out, signal } = context
  const params = { name }
  const told = (next: string, lines: readonly string[] = []) => {
    // The server's output is shown line by line below.
    const [reason = ''] = lines.length > 0 ? error.message.split(LAST_OUTPUT, 1) : [error.message]
    return new ThvError('conflict', [printable(reason), ...lines, next].join('\n'), { cause: error })
  }
  const { package: source } = await client.call('getWorkload', { params }, signal)
  const page = await pageOfServer(context, client, name)
  const withPage = (next: string) => (page === undefined ? next : `${next}\n${page}`)
  if (/^https?:\/\//i.test(source))
    return told(
      withPage(
        `The workload is kept, and Toolhaven tries again. "thv list" shows when it runs, "thv rm ${name}" removes it.`,
      ),
    )
  const logs = await client.call('getWorkloadLogs', { params }, signal)
  const lines = lastLife(logs.split('\n').filter((line) => line !== '')).slice(-LAST_LINES)
  const shown = lines.length > 0 ? ['Its last lines:', ...lines.map((line) => `  ${printable(line)}`)] : []
  if (keep)
    return told(
      withPage(`"thv logs ${name}" shows its output, "thv restart ${name}" tries again, "thv rm ${name}" removes it.`),
      shown,
    )
  try {
    await client.call('deleteWorkload', { params }, signal)
    await waitForOutcome({ out, signal }, client, [name], 'delete')
  } catch (cause) {
    // The workload was removed in the meantime.
    if (!isThvError(cause, 'not-found')) throw cause
  }
  return told(`${name} was removed. To keep a workload that does not start, use --keep.`, shown)
}

/** The output of the server's last run, without Toolhaven's own last line, which repeats the reason. */
function lastLife(lines: readonly string[]): readonly string[] {
  const own = lines.slice(0, lines.findLastIndex((line) => !isOurLine(line)) + 1)
  return own.slice(own.findLastIndex(isOurLine) + 1)
}
