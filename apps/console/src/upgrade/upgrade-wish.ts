import type { UpgradePlan, UpgradeRequest } from '@toolhaven/contract/upgrades'
import { quoted } from '../parts/quoted.ts'

/** What the new version needs, and what the user has to allow. */
export interface UpgradeWish {
  /** By variable. */
  values: Readonly<Record<string, string>>
  acceptNetwork: boolean
  acceptMounts: boolean
}

export const NO_WISH: UpgradeWish = { values: {}, acceptNetwork: false, acceptMounts: false }

/** Variables that the new version reads and the old one did not. */
export const newVariables = ({ variables }: UpgradePlan) => variables.filter(({ change }) => change === 'added')

/** The secrets that are stored first, by variable. */
export function secretsOf(plan: UpgradePlan, { values }: UpgradeWish): ReadonlyMap<string, string> {
  const given = newVariables(plan).filter(({ name, secret }) => secret && values[name])
  return new Map(given.map(({ name }) => [name, `${plan.name}-${name}`]))
}

/** Upgrades to the version that was looked at, and to no other. */
export function requestOf(plan: UpgradePlan, wish: UpgradeWish): UpgradeRequest {
  const secrets = [...secretsOf(plan, wish)].map(([target, name]) => ({ name, target }))
  const variables = newVariables(plan)
    .filter(({ name, secret }) => !secret && wish.values[name])
    .map(({ name }) => [name, wish.values[name] ?? ''])
  return {
    ...(plan.to !== undefined && { to: plan.to }),
    ...(variables.length > 0 && { env_vars: Object.fromEntries(variables) }),
    ...(secrets.length > 0 && { secrets }),
    ...(wish.acceptNetwork && { accept_network: true }),
    ...(wish.acceptMounts && { accept_mounts: true }),
  }
}

/** The command that does the same, once the secrets are stored. */
export function upgradeCommand({ name }: UpgradePlan, request: UpgradeRequest): string {
  const words = [
    ...['thv', 'upgrade', name],
    ...Object.entries(request.env_vars ?? {}).flatMap(([key, value]) => ['--env', `${key}=${value}`]),
    ...(request.secrets ?? []).flatMap((secret) => ['--secret', `${secret.name},target=${secret.target}`]),
    ...(request.accept_network ? ['--accept-network'] : []),
    ...(request.accept_mounts ? ['--accept-mounts'] : []),
    '--yes',
  ]
  return words.map(quoted).join(' ')
}

/** What is in the way besides what the form asks for: variables, and what the user has to confirm. */
export function problemsLeft(plan: UpgradePlan, { acceptNetwork, acceptMounts }: UpgradeWish): UpgradePlan['problems'] {
  const asked = newVariables(plan).some(({ required }) => required)
  const isAsked = { env_vars: asked, accept_network: acceptNetwork, accept_mounts: acceptMounts }
  return plan.problems.filter(({ field = '' }) => !Object.entries(isAsked).some(([name, is]) => is && name === field))
}
