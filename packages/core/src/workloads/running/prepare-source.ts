import { isThvError } from '../../errors.ts'
import type { Prepared, PrepareOptions, Progress, Source } from '../../ports/runtime.ts'
import type { StoredVerification, StoredWorkload } from '../../ports/stores.ts'
import type { SupervisorDeps } from './supervisor-deps.ts'
import { type ImageChoice, chooseImage } from './verify-image.ts'

type Deps = Pick<SupervisorDeps, 'book' | 'runtime' | 'images' | 'logs' | 'logger' | 'caCertificate' | 'installs'>
type ImageSource = Extract<Source, { kind: 'image' }>

/** Prepares the source of the workload, and stores its exact version or digest. */
export async function prepareSource(
  deps: Deps,
  stored: StoredWorkload,
  source: Source,
  report: (progress: Progress) => void,
  signal: AbortSignal,
): Promise<Prepared> {
  const caCertificate = await deps.caCertificate()
  const options = { onProgress: report, ...(caCertificate !== undefined && { caCertificate }) } as const
  if (source.kind !== 'image') {
    const { name: workload, install_hosts: hosts } = stored.config
    const install = deps.installs.access({ source, hosts, workload })
    return deps.runtime.prepare(source, { ...options, install, pull: 'if-absent' }, signal)
  }

  // An image that was found once is kept. An edit that names it again drops it, and checks whether `latest` moved.
  const pull = stored.resolved === undefined && isMovingTag(source.reference) ? 'always' : 'if-absent'
  const findLocal = () => localCopy(deps, source, options, signal)
  const choice = await chooseImage(deps, { stored, reference: source.reference, pull, findLocal, report }, signal)
  const prepared = await prepareChosen(deps, source, choice, { ...options, pull }, signal)
  await keepFinding(deps, stored, prepared, choice.finding)
  return prepared
}

/** Starts exactly the image that was checked, by its digest, whatever its name refers to at the registry or on the engine now. */
async function prepareChosen(
  deps: Deps,
  source: ImageSource,
  choice: ImageChoice,
  options: PrepareOptions,
  signal: AbortSignal,
): Promise<Prepared> {
  if (choice.pinned === undefined) return deps.runtime.prepare(source, options, signal)
  const { reference, digest } = choice.pinned
  const prepared = await deps.runtime.prepare({ kind: 'image', reference }, { ...options, pull: 'if-absent' }, signal)
  // A pull by digest does not give the image its familiar name.
  const takesName = !source.reference.includes('@') && choice.leaveName !== true
  if (takesName) await deps.runtime.tag?.(prepared, source.reference, signal)
  return { id: prepared.id, digest }
}

async function localCopy(
  deps: Deps,
  source: ImageSource,
  options: Omit<PrepareOptions, 'pull'>,
  signal: AbortSignal,
): Promise<Prepared | undefined> {
  try {
    return await deps.runtime.prepare(source, { ...options, pull: 'never' }, signal)
  } catch (error) {
    if (isThvError(error, 'not-found')) return undefined
    throw error
  }
}

async function keepFinding(
  deps: Deps,
  { config, resolved }: StoredWorkload,
  { digest }: Prepared,
  finding: StoredVerification | undefined,
): Promise<void> {
  const { name, image } = config
  // For an image that no registry has, nothing is stored and nothing expected.
  const kept = digest === undefined && finding?.outcome === 'no-provenance' ? undefined : finding
  if (kept) tell(deps, name, image ?? '', kept)
  if (image === undefined || (digest === undefined && !kept && !resolved)) return
  const isSame = resolved?.digest === digest && JSON.stringify(resolved?.verification) === JSON.stringify(kept)
  if (isSame) return
  await deps.book.change(name, (current) => ({
    ...current,
    resolved: {
      reference: current.resolved?.reference ?? image,
      ...(digest !== undefined && { digest }),
      ...(kept && { verification: kept }),
    },
  }))
}

function tell({ logs, logger }: Deps, workload: string, image: string, finding: StoredVerification): void {
  const { outcome, detail, digest } = finding
  const facts = { workload, image, outcome, detail, ...(digest !== undefined && { digest }) }
  if (outcome === 'verified') return logger.info('image verified', facts)
  logger[outcome === 'no-provenance' ? 'info' : 'warn']('image not verified', facts)
  logs.append(workload, 'stderr', `image verification: ${detail}`)
}

function isMovingTag(reference: string): boolean {
  if (reference.includes('@sha256:')) return false
  const tag = /:([^/:]+)$/.exec(reference)?.[1]
  return tag === undefined || tag === 'latest'
}
