import type { WorkloadDetails } from '@toolhaven/contract/workloads'
import { CopyButton } from '../parts/CopyButton.tsx'
import { curlCommand, thvCallCommand } from './as-command.ts'
import type { JsonObject } from './mcp-messages.ts'
import type { Offer } from './offers.ts'
import { requestFor } from './requests.ts'

export interface CallCommandsProps {
  server: WorkloadDetails
  kind: Offer['kind']
  item: string
  args: JsonObject
}

/** The same call outside this page. */
export function CallCommands({ server, kind, item, args }: CallCommandsProps) {
  const request = requestFor({ kind, id: item }, args)
  return (
    <>
      <CopyButton text={curlCommand(server.url, request)} label={`Copy as curl: ${item}`} words="Copy as curl" />
      {kind === 'tool' && (
        <CopyButton
          text={thvCallCommand(server.name, item, args)}
          label={`Copy as thv call: ${item}`}
          words="Copy as thv call"
        />
      )}
    </>
  )
}
