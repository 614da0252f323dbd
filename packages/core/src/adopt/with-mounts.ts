import { isWithin } from '../workloads/config/is-within.ts'
import type { AdoptDeps } from './adopt-deps.ts'
import type { Translation } from './translate.ts'

/**
 * Mounts each path of this machine that the entry names, as an argument or in a variable, at the same place. A file server then
 * still sees those files, and nothing else of the machine.
 */
export async function withMounts({ workloads }: Pick<AdoptDeps, 'workloads'>, plan: Translation): Promise<Translation> {
  if (plan.image === undefined || plan.volumes.length > 0) return plan
  const named = [...plan.args, ...Object.values(plan.variables)].filter(
    (text) => text.startsWith('/') && text.length > 1,
  )
  const paths = new Map<string, string>()
  for (const path of new Set(named)) {
    const found = await workloads.host.resolvePath(path)
    if (found?.kind === 'directory' || found?.kind === 'file') paths.set(path, found.path)
  }
  // A path inside another one is visible through it, and would be refused as a separate mount.
  const isSeen = (path: string) =>
    [...paths].some(([other, real]) => other !== path && isWithin(path, other) && isWithin(paths.get(path) ?? '', real))
  const volumes = [...paths.keys()].filter((path) => !isSeen(path)).map((path) => `${path}:${path}`)
  const hidden = plan.args.filter((text) => /^(\.\.?|~)\//.test(text))
  const notes = hidden.map((text) => `the workload cannot see ${text}: write the whole path`)
  return { ...plan, volumes, notes: [...plan.notes, ...notes] }
}
