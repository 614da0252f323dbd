import type { ImageServer } from '@toolhaven/contract/registry-document'
import type { Upgrade, UpgradePlan, UpgradeRequest } from '@toolhaven/contract/upgrades'
import type { UpdateRequest } from '@toolhaven/contract/workload-request'
import type { StoredWorkload } from '../ports/stores.ts'
import { visibleText } from '@toolhaven/contract/visible-text'
import { isSameJson } from '../workloads/config/is-same-json.ts'
import type { Problem } from '../workloads/config/problems.ts'
import { planEdit } from '../workloads/operations/plan.ts'
import { createLimiter } from '../workloads/running/limiter.ts'
import { type Finding, type NewVersion, findNewer } from './find-newer.ts'
import type { UpgradesDeps } from './upgrades-deps.ts'

type Wish = Omit<UpgradeRequest, 'to'>

/** Limited, because each lookup of a package runs a program. */
const AT_A_TIME = 4

export async function listUpgrades(deps: UpgradesDeps, signal: AbortSignal): Promise<{ upgrades: Upgrade[] }> {
  const inTurn = createLimiter(AT_A_TIME)
  const present = deps.workloads.book.all().filter(({ stored }) => stored.wanted !== 'absent')
  const look = ({ stored }: { stored: StoredWorkload }) =>
    inTurn(async () => upgradeOf(deps, stored, await findFor(deps, stored, signal)), signal)
  return { upgrades: await Promise.all(present.map(look)) }
}

/** What an upgrade would change. Changes nothing. */
export async function planUpgrade(
  deps: UpgradesDeps,
  name: string,
  signal: AbortSignal,
): Promise<Omit<UpgradePlan, 'problems'> & { problems: readonly Problem[] }> {
  const { stored } = deps.workloads.book.get(name)
  const finding = await findFor(deps, stored, signal)
  const upgrade = upgradeOf(deps, stored, finding)
  const { change } = finding
  if (!change) return { ...upgrade, variables: [], differences: [], problems: [], restarts: false }
  const options = { upgrade: { ...(change.reference !== undefined && { reference: change.reference }) } }
  const plan = await planEdit(deps.workloads, name, updateOf(stored, change), options)
  const { differences, problems, restarts } = plan
  const before = stored.entry && 'image' in stored.entry ? stored.entry : undefined
  return {
    ...upgrade,
    variables: variablesOf(before, change.entry),
    ...(before && change.entry && { tools: toolsOf(before, change.entry) }),
    ...{ differences, problems, restarts },
  }
}

export function findFor(
  { workloads, packages, imageRegistry }: UpgradesDeps,
  stored: StoredWorkload,
  signal: AbortSignal,
): Promise<Finding> {
  return findNewer({ findServer: workloads.findServer, packages, imageRegistry }, stored, signal)
}

function upgradeOf({ workloads }: UpgradesDeps, { config }: StoredWorkload, finding: Finding): Upgrade {
  const { state, source, from, to, reason } = finding
  return {
    ...{ name: config.name, state },
    ...(source && { source }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(reason !== undefined && { reason: workloads.masker.mask(visibleText(reason)) }),
  }
}

/** The edit that makes the upgrade. */
export function updateOf(stored: StoredWorkload, { image, entry }: NewVersion, wish: Wish = {}): UpdateRequest {
  const { asked } = stored
  const before = stored.entry && 'image' in stored.entry ? stored.entry.permissions : undefined
  // An earlier confirmation still applies as long as the new version asks for no more.
  const isConfirmed = isSameJson(before, entry?.permissions)
  const targets = new Set((wish.secrets ?? []).map(({ target }) => target))
  return {
    image,
    ...((wish.accept_network ?? (isConfirmed && asked.accept_network)) && { accept_network: true }),
    ...((wish.accept_mounts ?? (isConfirmed && asked.accept_mounts)) && { accept_mounts: true }),
    ...(wish.env_vars && { env_vars: { ...asked.env_vars, ...wish.env_vars } }),
    ...(wish.secrets && {
      secrets: [...(asked.secrets ?? []).filter(({ target }) => !targets.has(target)), ...wish.secrets],
    }),
  }
}

function variablesOf(before: ImageServer | undefined, after: ImageServer | undefined): UpgradePlan['variables'] {
  if (!before || !after) return []
  const [old, now] = [before.env_vars ?? [], after.env_vars ?? []]
  const without = (all: typeof old, others: typeof old) =>
    all.filter(({ name }) => !others.some((other) => other.name === name))
  const told = (change: 'added' | 'removed') => (variable: (typeof old)[number]) => ({
    ...{ name: variable.name, change, description: visibleText(variable.description) },
    ...{ required: variable.required, secret: variable.secret ?? false },
  })
  return [...without(now, old).map(told('added')), ...without(old, now).map(told('removed'))]
}

function toolsOf({ tools: before }: ImageServer, { tools: after }: ImageServer): UpgradePlan['tools'] {
  const told = (change: 'added' | 'removed') => (name: string) => ({ name: visibleText(name), change })
  return [
    ...after.filter((name) => !before.includes(name)).map(told('added')),
    ...before.filter((name) => !after.includes(name)).map(told('removed')),
  ]
}
