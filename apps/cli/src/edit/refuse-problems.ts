import type { CallInput } from '@toolhaven/contract/client'
import type { PlanProblem, WorkloadPlan } from '@toolhaven/contract/plans'
import { ThvError } from '@toolhaven/core/errors'
import { type DaemonClient, failureOf } from '../connect/daemon-client.ts'
import { orUnknownGroup } from '../lifecycle/or-unknown.ts'
import { inFlags } from '../output/in-flags.ts'
import { withServerMeant } from '../registry/with-server-meant.ts'
import { EDIT_FLAGS, type EditFlags } from './edit-flags.ts'

/** Asks the daemon whether it would make the edit, and reports all problems. Changes nothing. */
export async function refuseProblems(
  client: DaemonClient,
  { query, ...edit }: CallInput<'editWorkload'>,
  flags: Pick<EditFlags, 'server' | 'group'>,
  signal: AbortSignal,
): Promise<void> {
  const answer: unknown = await client.call('editWorkload', { ...edit, query: { ...query, dry_run: true } }, signal)
  // oxlint-disable-next-line typescript/consistent-type-assertions -- with dry_run the daemon answers by this contract
  const { problems } = answer as WorkloadPlan
  const errors = await Promise.all(problems.map((problem) => errorOf(client, problem, flags, signal)))
  const [first, ...others] = errors
  if (first === undefined) return
  if (others.length === 0) throw first
  throw new ThvError(first.code, errors.map((error) => inFlags(error, EDIT_FLAGS).message).join('\n'))
}

/** Fails in the same way as the edit itself would. */
async function errorOf(
  client: DaemonClient,
  { status, field, message }: PlanProblem,
  { server, group }: Pick<EditFlags, 'server' | 'group'>,
  signal: AbortSignal,
): Promise<ThvError> {
  const fail = () => Promise.reject(failureOf(status, message))
  try {
    return await (field === 'group' ? orUnknownGroup(client, group, signal, fail) : fail())
  } catch (error) {
    const told = await withServerMeant(client, server, error, signal)
    if (told instanceof ThvError) return told
    throw told
  }
}
