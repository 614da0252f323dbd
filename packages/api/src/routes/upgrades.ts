import type { upgradeRoutes } from '@toolhaven/contract/upgrades'
import type { ApiDeps } from '../api-deps.ts'
import type { Handlers } from '../bind.ts'
import { toldProblems } from '../told-problems.ts'

export function upgradeHandlers(deps: ApiDeps): Pick<Handlers, keyof typeof upgradeRoutes> {
  const { upgrades } = deps
  return {
    listUpgrades: ({ signal }) => upgrades.list(signal),
    getUpgrade: async ({ params, signal }) => {
      const { problems, ...plan } = await upgrades.plan(params.name, signal)
      return { ...plan, problems: toldProblems(deps, problems) }
    },
    upgradeWorkload: ({ params, body, signal }) => upgrades.upgrade(params.name, body, signal),
  }
}
