import type { InstanceSpec, Progress, Source } from '../../ports/runtime.ts'
import type { StoredWorkload } from '../../ports/stores.ts'
import { checkSizes } from '../config/check-sizes.ts'
import { mountsInForce, withFreshCheck } from './hidden-files.ts'
import { instanceSpec, readSecrets } from './instance-spec.ts'
import { parsePackageReference } from '../config/package-reference.ts'
import { prepareSource } from './prepare-source.ts'
import type { Template } from './session-instances.ts'
import type { SupervisorDeps } from './supervisor-deps.ts'

export interface TemplateOptions {
  report: (progress: Progress) => void
  /** Opens its way out. */
  openNetwork: () => Promise<InstanceSpec['network']>
}

/** Fetches the source of the workload and describes how to create each of its instances. */
export async function makeTemplate(
  deps: SupervisorDeps,
  stored: StoredWorkload,
  { report, openNetwork }: TemplateOptions,
  signal: AbortSignal,
): Promise<Template> {
  const { config } = stored
  const secrets = await readSecrets(deps, config)
  deps.masker.hold(config.name, Object.values(secrets))

  const source = await resolveSource(deps, stored, report, signal)
  const prepared = await prepareSource(deps, stored, source, report, signal)
  report({ phase: 'starting' })
  const network = await openNetwork()
  const { mounts } = await mountsInForce(deps, config, signal)
  const { instanceId } = deps
  const spec = instanceSpec({ stored, prepared, source, secrets, instanceId, network, mounts })
  // Includes the values of secrets, which were not known before.
  checkSizes(spec.args, spec.env)
  return { spec, checkMounts: () => withFreshCheck(deps, config, mounts) }
}

/** Built on demand, when the first instance already runs because it outlived a daemon. */
export function lateTemplate(
  deps: SupervisorDeps,
  stored: StoredWorkload,
  network: InstanceSpec['network'],
): (signal: AbortSignal) => Promise<Template> {
  let made: Promise<Template> | undefined
  const options = { report: () => {}, openNetwork: async () => network }
  return (signal) => {
    made ??= makeTemplate(deps, stored, options, signal).catch((error: unknown) => {
      made = undefined
      throw error
    })
    return made
  }
}

/** Looks up a package version once and stores it, so that restarts and reboots work offline and run the same code. */
async function resolveSource(
  deps: SupervisorDeps,
  stored: StoredWorkload,
  report: (progress: Progress) => void,
  signal: AbortSignal,
): Promise<Source> {
  const { folder } = stored.config
  if (folder) return { kind: 'folder', path: folder.path, ...(folder.command && { command: folder.command }) }
  const reference = stored.resolved?.reference ?? stored.config.image ?? ''
  const wanted = parsePackageReference(reference)
  if (!wanted) return { kind: 'image', reference }
  const { scheme, name } = wanted
  if (wanted.version !== undefined) return { kind: 'package', scheme, name, version: wanted.version }
  report({ phase: 'resolving', detail: name })
  const version = await deps.packages.latestVersion(scheme, name, signal)
  const resolved = { reference: `${scheme}://${name}@${version}` }
  await deps.book.change(stored.config.name, (current) => ({ ...current, resolved }))
  return { kind: 'package', scheme, name, version }
}
