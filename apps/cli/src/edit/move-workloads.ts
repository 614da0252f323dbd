import { invalid } from '@toolhaven/core/errors'
import type { Context } from '../context.ts'
import { orUnknownGroup, orUnknownWorkload } from '../lifecycle/or-unknown.ts'

/** Moves nothing unless every workload and the group exist. */
export async function moveWorkloads(
  context: Context,
  args: readonly string[],
  { group, format }: { group: string | undefined; format: string },
): Promise<void> {
  const { out, signal } = context
  if (!group) throw invalid('no group given\nPass --group NAME. "thv group list" lists the groups.')
  const client = await context.daemon()
  await orUnknownGroup(client, group, signal, () => client.call('getGroup', { params: { name: group } }, signal))
  const workloads = await Promise.all(
    [...new Set(args)].map((name) =>
      orUnknownWorkload(client, [name], signal, () => client.call('getWorkload', { params: { name } }, signal)),
    ),
  )
  const moving = workloads.filter((workload) => workload.group !== group).map(({ name }) => name)
  for (const name of moving) await client.call('editWorkload', { params: { name }, body: { group } }, signal)
  if (format === 'json') return out.json({ group, moved: moving })
  for (const { name } of workloads) out.line(`${name} is in ${group}${moving.includes(name) ? '' : ' already'}`)
}
