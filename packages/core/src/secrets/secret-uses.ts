import type { SecretUse } from '@toolhaven/contract/secrets'
import { compareNames, type WorkloadBook } from '../workloads/running/book.ts'
import { secretsIn } from '../workloads/config/generated-secrets.ts'

/** Every secret that a workload refers to, whether it exists or not. */
export function secretUses(book: WorkloadBook): SecretUse[] {
  const uses = new Map<string, string[]>()
  for (const { stored } of book.all()) {
    if (stored.wanted === 'absent') continue
    for (const key of secretsIn(stored.config)) uses.set(key, [...(uses.get(key) ?? []), stored.config.name])
  }
  return [...uses].map(([key, workloads]) => ({ key, workloads })).toSorted((a, b) => compareNames(a.key, b.key))
}
