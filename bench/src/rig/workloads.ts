import { type ApiClient, createApiClient } from '@toolhaven/contract/client'
import { until } from '@toolhaven/testing/testbed/until'
import type { ServerProcess } from './server-process.ts'

export const apiOf = ({ baseUrl }: ServerProcess): ApiClient => createApiClient({ baseUrl })

/** Fails at once when one is in error: waiting longer would not help. */
export async function untilAllRun(api: ApiClient, count: number): Promise<void> {
  await until(
    `${count} workloads to run`,
    async () => {
      const { workloads } = await api.call('listWorkloads', {})
      const bad = workloads.find(({ status }) => status === 'error')
      if (bad !== undefined) throw new Error(`${bad.name} is in error: ${bad.status_context}`)
      return workloads.filter(({ status }) => status === 'running').length === count
    },
    600_000,
  )
}

export async function remove(api: ApiClient, name: string): Promise<void> {
  await api.call('deleteWorkload', { params: { name } })
  await until(`${name} to be gone`, async () => {
    const { workloads } = await api.call('listWorkloads', { query: { all: true } })
    return !workloads.some((workload) => workload.name === name)
  })
}
