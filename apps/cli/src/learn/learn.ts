import type { DaemonClient } from '../connect/daemon-client.ts'
import type { Context } from '../context.ts'
import { orUnknownWorkload } from '../lifecycle/or-unknown.ts'
import { waitForOutcome } from '../output/wait-for-outcome.ts'
import { showLesson } from './show-lesson.ts'

export async function showLearned(context: Context, name: string, format: string): Promise<void> {
  const { out } = context
  const { lesson } = await read(context, name)
  if (format === 'json') return out.json(lesson)
  showLesson(out, lesson)
  const isWorthIt = lesson.evidence.length > 0 || lesson.mode === 'observe'
  if (isWorthIt) out.note(`"thv learn ${name} --apply" puts it in force.`)
  if (lesson.mode === 'enforce')
    out.note(`"thv learn ${name} --observe" allows every public host for a while, to see what else it needs.`)
}

/** Puts exactly the shown profile in force. A server that asks for more in the meantime does not get it. */
export async function applyLearned(context: Context, name: string, format: string): Promise<void> {
  const { out, signal } = context
  const { client, lesson } = await read(context, name)
  if (format !== 'json') showLesson(out, lesson)
  const body = { permission_profile: lesson.permission_profile }
  const applied = await client.call('applyLesson', { params: { name }, body }, signal)
  await waitForOutcome(context, client, [name], 'restart')
  if (format === 'json') return out.json(applied)
  out.line(`${name} is running with this profile`)
}

export async function observe(context: Context, name: string, format: string): Promise<void> {
  const { out, signal } = context
  const client = await context.daemon()
  const { network_isolation_mode: mode } = await found(context, client, name, () =>
    client.call('getWorkload', { params: { name } }, signal),
  )
  if (mode !== 'observe') {
    const body = { network_isolation_mode: 'observe' } as const
    await client.call('editWorkload', { params: { name }, body }, signal)
    await waitForOutcome(context, client, [name], 'restart')
  }
  const lesson = await client.call('getLesson', { params: { name } }, signal)
  if (format === 'json') return out.json(lesson)
  out.line(`${name} is observed since ${lesson.since}: every public host is allowed`)
  out.note(`Use its tools now; "thv learn ${name}" shows what it used, "thv learn ${name} --apply" allows just that.`)
}

async function read(context: Context, name: string) {
  const client = await context.daemon()
  const lesson = await found(context, client, name, () =>
    client.call('getLesson', { params: { name } }, context.signal),
  )
  return { client, lesson }
}

function found<T>({ signal }: Context, client: DaemonClient, name: string, work: () => Promise<T>): Promise<T> {
  return orUnknownWorkload(client, [name], signal, work)
}
