import { workloadStatus } from '@toolhaven/contract/workload-status'
import type { Workload } from '@toolhaven/contract/workloads'
import * as z from 'zod'

/** What a model is told of a workload. Variables, headers and arguments are not in it: they may hold secrets. */
export const serverRecord = z.object({
  name: z.string(),
  status: workloadStatus,
  reason: z.string().describe('Progress, or why it does not run; empty when there is nothing to say'),
  group: z.string(),
  url: z.string().describe('Where MCP clients connect'),
  source: z.string().describe('The image, package or address it was made from'),
  transport: z.string(),
})

export function serverRecordOf(workload: Workload): z.infer<typeof serverRecord> {
  const { name, status, status_context: reason, group, url, package: source, transport_type: transport } = workload
  return { name, status, reason, group, url, source, transport }
}

export const serverName = z.string().min(1).describe('Name of the server, as list_servers gives it')
