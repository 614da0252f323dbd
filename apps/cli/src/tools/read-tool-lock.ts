import type { ToolLock } from '@toolhaven/contract/tools'
import type { DaemonClient } from '../connect/daemon-client.ts'
import type { Context } from '../context.ts'
import { orUnknownWorkload } from '../lifecycle/or-unknown.ts'

export async function readToolLock(context: Context, name: string): Promise<{ client: DaemonClient; lock: ToolLock }> {
  const client = await context.daemon()
  const { signal } = context
  const lock = await orUnknownWorkload(client, [name], signal, () =>
    client.call('getToolLock', { params: { name } }, signal),
  )
  return { client, lock }
}
