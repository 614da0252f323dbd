import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { UpgradePlan } from '@toolhaven/contract/upgrades'
import { useState } from 'react'
import { api } from '../api.ts'
import { createSecret, replaceSecret } from '../secrets/store-secret.ts'
import { requestOf, secretsOf, type UpgradeWish } from './upgrade-wish.ts'

/** The daemon answers once the new version runs, or the old one runs again. */
export function useUpgrade(plan: UpgradePlan) {
  const cache = useQueryClient()
  const [own] = useState(() => new Set<string>())
  return useMutation({
    mutationFn: async (wish: UpgradeWish) => {
      for (const [variable, key] of secretsOf(plan, wish)) {
        // A second try gives a new value to what the first stored, and to nothing else.
        await (own.has(key) ? replaceSecret : createSecret)(api, key, wish.values[variable] ?? '')
        own.add(key)
      }
      return api.call('upgradeWorkload', { params: { name: plan.name }, body: requestOf(plan, wish) })
    },
    onSettled: () =>
      Promise.all(
        [['secrets'], ['workload', plan.name], ['workloads']].map((queryKey) => cache.invalidateQueries({ queryKey })),
      ),
  })
}
