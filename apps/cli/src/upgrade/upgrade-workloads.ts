import type { Upgrade, UpgradePlan, UpgradeResult } from '@toolhaven/contract/upgrades'
import { conflict, describeError, invalid } from '@toolhaven/core/errors'
import { showProgress } from '../adopt/show-progress.ts'
import type { DaemonClient } from '../connect/daemon-client.ts'
import type { Context } from '../context.ts'
import { orUnknownWorkload } from '../lifecycle/or-unknown.ts'
import { canAsk, confirm } from '../output/prompt.ts'
import { printable } from '@toolhaven/contract/visible-text'
import { pairsOf, secretOf } from '../run/pairs.ts'
import { describeReturn, showPlan, showResult, showTable, versionsOf } from './show-upgrade.ts'

interface Flags {
  env: string[]
  secret: string[]
  acceptNetwork: boolean
  acceptMounts: boolean
  yes: boolean
  format: string
}

export async function checkUpgrades(context: Context, args: readonly string[], flags: Flags): Promise<void> {
  const { out } = context
  if (flags.yes || flags.env.length > 0 || flags.secret.length > 0 || flags.acceptNetwork || flags.acceptMounts)
    throw invalid('--check changes nothing, so it can be combined only with names and --format')
  refuseVersions(args)
  const client = await context.daemon()
  const upgrades = await look(context, client, args)
  if (flags.format === 'json') return out.json({ upgrades })
  if (upgrades.length === 0) return out.note('There are no workloads.')
  showTable(out, upgrades)
  const newer = upgrades.filter(({ state }) => state === 'available')
  out.note(
    newer.length === 0 ? 'Nothing to upgrade.' : '"thv upgrade NAME" shows the changes and upgrades the workload.',
  )
}

/** npm and others accept a version after the name. */
function refuseVersions(args: readonly string[]): void {
  const [name, version] = args.find((arg) => arg.includes('@'))?.split('@') ?? []
  if (version === undefined) return
  throw invalid(
    `thv upgrade takes the name of a workload and upgrades it to the newest version\n` +
      `For another version: thv edit ${name} --server SERVER@${version}`,
  )
}

/** Upgrades one workload after another. A failed or refused upgrade does not stop the others. */
export async function upgradeWorkloads(context: Context, args: readonly string[], flags: Flags): Promise<void> {
  const { out, signal } = context
  const isJson = flags.format === 'json'
  const needs = needsOf(flags)
  if (args.length !== 1 && Object.keys(needs).length > 0)
    throw invalid('--env, --secret, --accept-network and --accept-mounts need exactly one workload: thv upgrade NAME')
  refuseVersions(args)
  const client = await context.daemon()
  const upgrades = await look(context, client, args)
  const available = upgrades.filter(({ state }) => state === 'available')
  if (available.length > 0 && !flags.yes && !canAsk()) {
    if (!isJson) for (const { name } of available) showPlan(out, await planOf(client, name, signal))
    throw invalid(NO_TERMINAL)
  }
  const results: UpgradeResult[] = []
  const failures: { name: string; reason: string }[] = []
  for (const { name, state, reason = '' } of upgrades) {
    // Without names, workloads with nothing to upgrade are not mentioned.
    if (state === 'unknown' || (state === 'not-upgradable' && args.length > 0)) failures.push({ name, reason })
    else if (state === 'current' && args.length > 0 && !isJson) out.note(`${name} has the newest version already.`)
    if (state !== 'available') continue
    try {
      const result = await upgradeOne(context, client, name, { needs, flags })
      results.push(result)
      if (result.outcome === 'went-back') failures.push({ name, reason: describeReturn(result) })
      else if (!isJson) showResult(out, result)
    } catch (error) {
      signal.throwIfAborted()
      failures.push({ name, reason: describeError(error) })
    }
  }
  if (isJson) out.json({ results, failures })
  else if (args.length === 0 && results.length + failures.length === 0) out.note('Nothing to upgrade.')
  if (failures.length === 0) return
  const told = failures.map(({ name, reason }) => (reason.startsWith(`${name} `) ? reason : `${name}: ${reason}`))
  // The text may quote a server or a registry.
  throw conflict(told.flatMap((text) => text.split('\n').map(printable)).join('\n'))
}

function needsOf({ env, secret, acceptNetwork, acceptMounts }: Flags) {
  return {
    ...(env.length > 0 && { env_vars: pairsOf('--env', env) }),
    ...(secret.length > 0 && { secrets: secret.map(secretOf) }),
    ...(acceptNetwork && { accept_network: true }),
    ...(acceptMounts && { accept_mounts: true }),
  }
}

const NO_TERMINAL = 'there is no terminal to ask at; add --yes to upgrade\nNothing was changed.'

const planOf = (client: DaemonClient, name: string, signal: AbortSignal) =>
  client.call('getUpgrade', { params: { name } }, signal)

interface Wish {
  needs: ReturnType<typeof needsOf>
  flags: Flags
}

async function upgradeOne(
  context: Context,
  client: DaemonClient,
  name: string,
  { needs, flags }: Wish,
): Promise<UpgradeResult> {
  const { out, signal } = context
  const params = { name }
  const plan = await planOf(client, name, signal)
  if (flags.format !== 'json') showPlan(out, plan)
  const openings = plan.problems.filter(({ field }) => field === 'accept_network')
  // --yes accepts the new version, but not what else the new version wants to reach.
  const asksForMore = openings.length > 0 && !flags.acceptNetwork && !flags.yes
  if (asksForMore) for (const { message } of openings) out.note(printable(`  ${message.split('; ')[0]}`))
  refuseProblems(asksForMore ? plan.problems.filter((problem) => !openings.includes(problem)) : plan.problems, needs)
  if (!flags.yes) await askFirst(plan, asksForMore, signal)
  const body = {
    ...(plan.to !== undefined && { to: plan.to }),
    ...needs,
    ...(asksForMore && { accept_network: true }),
  }
  return showProgress(context, client, name, () => client.call('upgradeWorkload', { params, body }, signal))
}

/** Flags on the command may resolve these problems, so with flags the daemon decides. */
function refuseProblems(problems: UpgradePlan['problems'], needs: Wish['needs']): void {
  if (problems.length > 0 && Object.keys(needs).length === 0)
    throw conflict(`it cannot be upgraded as it is: ${problems.map(({ message }) => message).join('; ')}`)
}

async function askFirst(plan: UpgradePlan, asksForMore: boolean, signal: AbortSignal): Promise<void> {
  const more = asksForMore ? ', and let it reach that' : ''
  const message = printable(`Upgrade ${plan.name}, ${versionsOf(plan)}${more}?`)
  if (!(await confirm({ message, instead: NO_TERMINAL, signal }))) throw conflict('cancelled; nothing was changed')
}

async function look({ out, signal }: Context, client: DaemonClient, args: readonly string[]): Promise<Upgrade[]> {
  const names = [...new Set(args)]
  out.transient('looking for newer versions')
  try {
    if (names.length === 0) return (await client.call('listUpgrades', {}, signal)).upgrades
    const one = (name: string) => planOf(client, name, signal)
    const plans = await orUnknownWorkload(client, names, signal, () => Promise.all(names.map(one)))
    return plans.map(({ name, state, source, from, to, reason }) => ({
      ...{ name, state },
      ...(source && { source }),
      ...(from !== undefined && { from }),
      ...(to !== undefined && { to }),
      ...(reason !== undefined && { reason }),
    }))
  } finally {
    out.transient('')
  }
}
