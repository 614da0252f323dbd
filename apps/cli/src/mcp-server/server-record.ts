import { workloadStatus } from '@toolhaven/contract/workload-status'
import type { Workload } from '@toolhaven/contract/workloads'
import * as z from 'zod'

/** What a model learns about a workload. It has no variables, headers and arguments, because they may hold secrets. */
export const serverRecord = z.object({
  name: z.string(),
  status: workloadStatus,
  reason: z.string().describe('Progress, or why it does not run; may be empty'),
  group: z.string(),
  url: z.string().describe('Where MCP clients connect'),
  source: z.string().describe('The image, package or address that it was created from'),
  transport: z.string(),
})

export function serverRecordOf(workload: Workload): z.infer<typeof serverRecord> {
  const { name, status, status_context: reason, group, url, package: source, transport_type: transport } = workload
  return { name, status, reason, group, url, source, transport }
}

export const serverName = z.string().min(1).describe('Name of the server, from list_servers')
