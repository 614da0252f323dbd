import { ThvError, isThvError } from '@toolhaven/core/errors'
import { LAST_OUTPUT, isOurLine } from '@toolhaven/core/workloads/last-words'
import type { DaemonClient } from '../connect/daemon-client.ts'
import type { Context } from '../context.ts'
import { printable } from '@toolhaven/contract/visible-text'
import { type WorkloadFailed, waitForOutcome } from '../output/wait-for-outcome.ts'

const LAST_LINES = 10

/**
 * What a person is told when the server that `thv run` created never worked. The workload is removed, because the next try
 * would only find its name taken. A remote server is kept: nothing of it runs here, and it may be back soon.
 */
export async function failedStart(
  { out, signal }: Context,
  client: DaemonClient,
  name: string,
  { error, keep }: { error: WorkloadFailed; keep: boolean },
): Promise<ThvError> {
  const params = { name }
  const told = (next: string, lines: readonly string[] = []) => {
    // What it wrote is shown line by line below.
    const [reason = ''] = lines.length > 0 ? error.message.split(LAST_OUTPUT, 1) : [error.message]
    return new ThvError('conflict', [printable(reason), ...lines, next].join('\n'), { cause: error })
  }
  const { package: source } = await client.call('getWorkload', { params }, signal)
  if (/^https?:\/\//i.test(source))
    return told(`It is kept and tried again. "thv list" shows when it runs, "thv rm ${name}" removes it.`)
  const logs = await client.call('getWorkloadLogs', { params }, signal)
  const lines = lastLife(logs.split('\n').filter((line) => line !== '')).slice(-LAST_LINES)
  const shown = lines.length > 0 ? ['Its last lines:', ...lines.map((line) => `  ${printable(line)}`)] : []
  if (keep)
    return told(
      `"thv logs ${name}" shows its output, "thv restart ${name}" tries again, "thv rm ${name}" removes it.`,
      shown,
    )
  try {
    await client.call('deleteWorkload', { params }, signal)
    await waitForOutcome({ out, signal }, client, [name], 'delete')
  } catch (cause) {
    // Somebody else removed it meanwhile.
    if (!isThvError(cause, 'not-found')) throw cause
  }
  return told(`${name} was removed again. With --keep it stays.`, shown)
}

/** What the server wrote the last time it ran. A line of ours ends each time, and says what the reason says already. */
function lastLife(lines: readonly string[]): readonly string[] {
  const own = lines.slice(0, lines.findLastIndex((line) => !isOurLine(line)) + 1)
  return own.slice(own.findLastIndex(isOurLine) + 1)
}
