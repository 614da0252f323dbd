import type { RunConfig } from '@toolhaven/contract/run-config'
import { invalid } from '../../errors.ts'
import type { AuditSpec } from '../../ports/gateway.ts'
import type { Host } from '../../ports/host.ts'

/** Default size limit for a recorded request or answer. */
const DEFAULT_DATA_BYTES = 1024

const FILE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/
const ENDING = /\.(log|json|jsonl|ndjson)$/

/**
 * The daemon appends records with its own rights, so the file must be meant for them. Also checked at every start, because a server
 * that can write a folder above the file could have put a link there.
 */
export async function checkAudit(
  deps: { host: Pick<Host, 'resolvePath' | 'isOwn'> },
  { audit_config: audit }: RunConfig,
): Promise<void> {
  const file = audit?.log_file
  if (file === undefined || file === '') return
  if (!ENDING.test(file)) throw invalid('audit_config.log_file must end in .log, .json, .jsonl or .ndjson')
  if (FILE_NAME.test(file)) return
  if (!file.startsWith('/'))
    throw invalid('audit_config.log_file must be a name, for a file in the audit folder, or an absolute path')
  const named = file.slice(0, file.lastIndexOf('/')) || '/'
  const folder = await deps.host.resolvePath(named)
  if (folder?.kind !== 'directory')
    throw invalid('audit_config.log_file: its folder does not exist on this machine; create it first')
  if (folder.path !== named)
    throw invalid(
      `audit_config.log_file: "${named}" leads to "${folder.path}"; use the real path of the file, or restore the folder`,
    )
  if (await deps.host.isOwn(folder))
    throw invalid('audit_config.log_file must not lie in a folder of Toolhaven; a name alone goes to the audit folder')
}

/** For the gateway. */
export function auditSpec({ name, audit_config: audit }: RunConfig): AuditSpec | undefined {
  if (audit === undefined) return undefined
  return {
    component: audit.component || name,
    eventTypes: audit.event_types ?? [],
    excludeEventTypes: audit.exclude_event_types ?? [],
    hasRequestData: audit.include_request_data === true,
    hasResponseData: audit.include_response_data === true,
    maxDataBytes: audit.max_data_size ?? DEFAULT_DATA_BYTES,
    ...(audit.log_file && { logFile: audit.log_file }),
  }
}
