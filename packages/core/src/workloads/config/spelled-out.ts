import type { CreateRequest } from '@toolhaven/contract/workload-request'
import type { Target } from '../operations/target.ts'
import { entryDefaults } from './compose.ts'

/**
 * The request with the content of its server.json written into the ordinary fields. No registry has that entry, so an edit or an
 * upgrade that names the next version could not look it up.
 */
export function spelledOut({ server_json: file, ...asked }: CreateRequest, target: Target): CreateRequest {
  if (!file) return asked
  if (target.kind === 'remote') return { ...asked, url: target.url, ...transportOf(asked, target) }
  if (target.kind === 'folder' || !target.entry) return asked
  const { args = [], target_port: port } = target.entry
  const variables = { ...entryDefaults(target.entry), ...asked.env_vars }
  return {
    ...asked,
    image: target.image,
    ...transportOf(asked, target),
    ...(port !== undefined && { target_port: asked.target_port ?? port }),
    ...(!asked.cmd_arguments?.length && args.length > 0 && { cmd_arguments: args }),
    ...(Object.keys(variables).length > 0 && { env_vars: variables }),
  }
}

function transportOf(asked: CreateRequest, { entry }: Target): Pick<CreateRequest, 'transport'> {
  const transport = asked.transport || entry?.transport
  return transport ? { transport } : {}
}
