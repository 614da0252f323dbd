import { parseClientType } from '@toolhaven/contract/client-types'
import type { Manifest, ManifestChange, ManifestWorkload } from '@toolhaven/contract/manifest'
import { DEFAULT_GROUP } from '@toolhaven/contract/names'
import { conflict, describeError, invalid } from '@toolhaven/core/errors'
import * as z from 'zod'
import { withSecretStore } from '../commands/secret/with-secret-store.ts'
import type { DaemonClient } from '../connect/daemon-client.ts'
import { withServerMeant } from '../registry/with-server-meant.ts'
import type { Output } from '../output/output.ts'
import { type Waiting, waitForOutcome } from '../output/wait-for-outcome.ts'
import { labelsOf, updateOf } from './workload-differences.ts'

export type Outcome = ManifestChange & { outcome: 'done' | 'failed'; reason?: string }

interface Work {
  context: Waiting & { out: Pick<Output, 'note'> }
  client: DaemonClient
  manifest: Manifest
}

/** Makes the changes in their order. If one fails, the others are still made. */
export async function carryOut(work: Work, changes: readonly ManifestChange[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  const started: { change: ManifestChange; running: Promise<void> }[] = []
  const isLater = ({ kind, action }: ManifestChange) => kind === 'client' || action === 'remove'
  for (const change of changes.filter((each) => !isLater(each))) {
    const failure = await failureOf(makeChange(work, change))
    if (failure === undefined && change.kind === 'workload') {
      const running = waitForOutcome(work.context, work.client, [change.name], 'run')
      // Awaited below. Without this, an earlier failure would be an unhandled rejection.
      running.catch(() => undefined)
      started.push({ change, running })
    } else outcomes.push(outcomeOf(change, failure))
  }
  // Servers start in parallel.
  for (const { change, running } of started) outcomes.push(outcomeOf(change, await failureOf(running)))
  for (const change of changes.filter(isLater))
    outcomes.push(outcomeOf(change, await failureOf(makeChange(work, change))))
  work.context.signal.throwIfAborted()
  return outcomes
}

function outcomeOf(change: ManifestChange, reason: string | undefined): Outcome {
  return reason === undefined ? { ...change, outcome: 'done' } : { ...change, outcome: 'failed', reason }
}

async function failureOf(work: Promise<void>): Promise<string | undefined> {
  try {
    await work
    return undefined
  } catch (error) {
    return describeError(error)
  }
}

function makeChange(work: Work, change: ManifestChange): Promise<void> {
  work.context.signal.throwIfAborted()
  switch (change.kind) {
    case 'group':
      return changeGroup(work, change)
    case 'registry':
      return changeRegistry(work)
    case 'workload':
      return changeWorkload(work, change)
    case 'client':
      return changeClient(work, change)
  }
}

async function changeGroup({ client, context }: Work, { action, name }: ManifestChange): Promise<void> {
  if (action === 'remove') await client.call('deleteGroup', { params: { name }, query: {} }, context.signal)
  else await client.call('createGroup', { body: { name } }, context.signal)
}

async function changeRegistry({ client, context, manifest }: Work): Promise<void> {
  const body = manifest.registry ?? {}
  await client.call('updateRegistry', { params: { name: 'default' }, body }, context.signal)
}

async function changeWorkload({ client, context, manifest }: Work, change: ManifestChange): Promise<void> {
  const { action, name, fields } = change
  const { signal } = context
  const remove = async () => {
    await client.call('deleteWorkload', { params: { name } }, signal)
    await waitForOutcome(context, client, [name], 'delete')
  }
  const query = { known_only: true }
  const stored = <Result>(wanted: ManifestWorkload, send: () => Promise<Result>) =>
    withSecretStore({ ...context, yes: true }, client, wanted, send)
  const create = (wanted: ManifestWorkload) => {
    const body = { ...wanted, labels: labelsOf(wanted, manifest.name) }
    const sent = stored(wanted, () => client.call('createWorkload', { body, query }, signal))
    return orServerMeant(client, wanted, sent, signal)
  }
  const edit = (wanted: ManifestWorkload, changed: ManifestChange['fields']) => {
    const body = updateOf(wanted, changed, manifest.name)
    const sent = stored(wanted, () => client.call('editWorkload', { params: { name }, body, query }, signal))
    return orServerMeant(client, wanted, sent, signal)
  }
  if (action === 'remove') return remove()
  if (action === 'start') return void (await client.call('restartWorkload', { params: { name } }, signal))
  const wanted = manifest.workloads.find((workload) => workload.name === name)
  if (!wanted) throw invalid(`the file has no workload ${name}`)
  if (action === 'create') return create(wanted)
  if (action === 'update') return edit(wanted, fields)
  // An image that does not exist, and whatever else is wrong, is refused before the workload is removed; a port only after it.
  const others = fields.filter(({ field }) => field !== 'proxy_port')
  if (others.length > 0) await edit(wanted, others)
  await remove()
  try {
    await create(wanted)
  } catch (error) {
    const before = z.number().safeParse(fields.find(({ field }) => field === 'proxy_port')?.from).data
    // A refused port must not lose the workload.
    await create({ ...wanted, proxy_port: before }).catch((cause: unknown) => {
      throw conflict(
        `${describeError(error)}; ${name} is removed, and cannot be put back: ${describeError(cause)}`,
        cause,
      )
    })
    throw conflict(`${describeError(error)}; ${name} stays at port ${before}`, error)
  }
}

async function orServerMeant(
  client: DaemonClient,
  { image }: ManifestWorkload,
  answer: Promise<unknown>,
  signal: AbortSignal,
): Promise<void> {
  try {
    await answer
  } catch (error) {
    throw await withServerMeant(client, image, error, signal)
  }
}

async function changeClient({ client, context, manifest }: Work, change: ManifestChange): Promise<void> {
  const { signal } = context
  const { name, action } = change
  if (action === 'remove') return void (await client.call('deleteClient', { params: { name } }, signal))
  const wanted = manifest.clients.find((each) => parseClientType(each.name) === name)?.groups ?? [DEFAULT_GROUP]
  const registered = await client.call('listClients', {}, signal)
  const present = registered.find((each) => each.name === name)?.groups ?? []
  const missing = wanted.filter((group) => !present.includes(group))
  const extra = present.filter((group) => !wanted.includes(group))
  if (missing.length > 0) await client.call('registerClients', { body: { names: [name], groups: missing } }, signal)
  if (extra.length > 0) await client.call('unregisterClients', { body: { names: [name], groups: extra } }, signal)
}
