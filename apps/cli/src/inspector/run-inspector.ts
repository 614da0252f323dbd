import { invalid } from '@toolhaven/core/errors'
import type { Context } from '../context.ts'
import { orUnknownWorkload } from '../lifecycle/or-unknown.ts'
import { refuseUnreachable } from '../mcp-client/target.ts'
import { followTask } from '../output/follow-task.ts'

interface InspectorFlags {
  uiPort: number
  mcpProxyPort: number
  inspectorVersion: string | undefined
  format: string
}

/** Runs until Ctrl-C. The daemon ends the Inspector when this program ends, for whatever reason. */
export async function runInspector(context: Context, name: string, flags: InspectorFlags): Promise<void> {
  const { out, signal } = context
  const { inspectorVersion: version } = flags
  if (version !== undefined && /^[01]\./.test(version))
    throw invalid(`--inspector-version ${version} is too old; the daemon runs version 2.0.0 and newer`)
  const client = await context.daemon()
  const body = { ui_port: flags.uiPort, mcp_proxy_port: flags.mcpProxyPort, ...(version !== undefined && { version }) }
  const params = { name }
  const workload = await orUnknownWorkload(client, [name], signal, () => client.call('getWorkload', { params }, signal))
  refuseUnreachable(workload)
  try {
    for await (const event of followTask(context, client, 'inspectWorkload', { params, body })) {
      if (event.state !== 'ready') continue
      const { state: _, ...ready } = event
      if (flags.format === 'json') out.json(ready)
      else out.line(`The Inspector of ${name} is at ${event.url}`)
      if (out.isTerminal) out.note('Press Ctrl-C to end it.')
    }
  } catch (error) {
    // Ctrl-C ends it normally.
    if (!signal.aborted) throw error
  }
}
