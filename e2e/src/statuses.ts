import { until } from '@toolhaven/testing/testbed/until'
import type { DaemonProcess } from './daemon-process.ts'

const PATIENCE_MS = 400_000

/** Waits for a status; fails early with the reason when the workload is in error instead. */
export async function untilStatus(daemon: DaemonProcess, name: string, wanted: string): Promise<void> {
  await untilReport(daemon, name, wanted, ({ status, context }) => {
    if (status === 'error' && wanted !== 'error') throw new Error(`${name} is in error: ${context}`)
    return status === wanted
  })
}

/** Waits for a status through whatever comes before it: for servers that were just killed. */
export async function untilRecovered(daemon: DaemonProcess, name: string, wanted = 'running'): Promise<void> {
  await untilReport(daemon, name, wanted, ({ status }) => status === wanted)
}

type Report = { status: string; context: string }

export async function untilReport(
  daemon: DaemonProcess,
  name: string,
  wanted: string,
  isIt: (report: Report) => boolean,
): Promise<void> {
  let last: Report | undefined
  const ask = async () => {
    const { status, status_context: context } = await daemon.api.call('getWorkload', { params: { name } })
    last = { status, context }
    return isIt(last)
  }
  await until(`${name} to be ${wanted}`, ask, PATIENCE_MS).catch((error: unknown) => {
    throw new Error(
      `${String(error)}; last seen: ${last?.status} ${last?.context}; the daemon said: ${daemon.output()}`,
      { cause: error },
    )
  })
}

export async function untilGone(daemon: DaemonProcess, ...names: string[]): Promise<void> {
  const left = async () => (await listNames(daemon)).filter((name) => names.includes(name))
  await until(`${names.join(', ')} to be gone`, async () => (await left()).length === 0, PATIENCE_MS)
}

export async function listNames(daemon: DaemonProcess): Promise<string[]> {
  const { workloads } = await daemon.api.call('listWorkloads', { query: { all: true } })
  return workloads.map(({ name }) => name)
}
