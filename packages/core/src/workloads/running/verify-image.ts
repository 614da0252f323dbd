import type { Provenance } from '@toolhaven/contract/registry-document'
import { type ThvError, invalid, unavailable } from '../../errors.ts'
import type { Verdict } from '../../ports/image-verifier.ts'
import type { Prepared, Progress } from '../../ports/runtime.ts'
import type { StoredVerification, StoredWorkload } from '../../ports/stores.ts'
import { atDigest, digestOf } from '../config/image-reference.ts'
import { expectationOf } from '../config/provenance.ts'
import type { SupervisorDeps } from './supervisor-deps.ts'

type Deps = Pick<SupervisorDeps, 'images'>

export interface ImageChoice {
  /** Exactly this image (default: the one that the name refers to). */
  pinned?: { reference: string; digest: string }
  /** Its name on the engine is not changed. */
  leaveName?: boolean
  finding?: StoredVerification
}

export interface ImageWish {
  stored: StoredWorkload
  reference: string
  pull: 'if-absent' | 'always'
  findLocal: () => Promise<Prepared | undefined>
  report: (progress: Progress) => void
}

/** Decides which image to start, and what is known about who made it. Throws if the image is unverified and must not start. */
export async function chooseImage(deps: Deps, wish: ImageWish, signal: AbortSignal): Promise<ImageChoice> {
  const { stored, reference, pull, findLocal } = wish
  const mode = stored.config.image_verification ?? 'warn'
  if (mode === 'disabled') return {}
  const expectation = expectationOf(stored.entry, reference)
  if ('lack' in expectation) {
    if (mode === 'enabled') throw refusal(reference, undefined, expectation.lack)
    return { finding: { outcome: 'no-provenance', detail: expectation.lack } }
  }
  const known = stored.resolved?.verification
  // It was verified before and cannot have changed, so starting it again needs no network.
  if (known?.outcome === 'verified' && known.digest !== undefined && known.digest === stored.resolved?.digest)
    return { pinned: pinned(reference, known.digest), leaveName: true, finding: known }

  const local = pull === 'if-absent' ? await findLocal() : undefined
  const verdict = await judge(deps, wish, expectation.provenance, local, signal)
  if (verdict.outcome !== 'verified' && mode === 'enabled')
    throw refusal(reference, verdict.digest, verdict.reason, verdict.outcome)
  const { digest } = verdict
  const detail = verdict.outcome === 'verified' ? `signed by ${verdict.signer}` : verdict.reason
  return {
    ...(digest !== undefined && { pinned: pinned(reference, digest) }),
    leaveName: local !== undefined,
    finding: { outcome: verdict.outcome, detail, ...(digest !== undefined && { digest }) },
  }
}

type AnyVerdict = Verdict | { outcome: 'unsigned'; digest?: never; reason: string }

async function judge(
  deps: Deps,
  { reference, stored, report }: ImageWish,
  expected: Provenance,
  local: Prepared | undefined,
  signal: AbortSignal,
): Promise<AnyVerdict> {
  report({ phase: 'verifying', detail: reference })
  const written = digestOf(reference)
  if (written === undefined && local && local.digest === undefined)
    return { outcome: 'unsigned', reason: 'the copy on this engine did not come from a registry; remove it there' }
  // A registry can hold the same image both directly and as the variant for this processor in a list.
  const kept = local ? (local.digests ?? [local.digest]) : [stored.resolved?.digest]
  const candidates = written === undefined ? kept : [written]
  let verdict: Verdict | undefined
  for (const digest of candidates) {
    const next = await deps.images.verify({ reference, expected, ...(digest !== undefined && { digest }) }, signal)
    if (next.outcome === 'verified') return next
    verdict = verdict === undefined || verdict.outcome === 'unsigned' ? next : verdict
  }
  return verdict ?? { outcome: 'unsigned', reason: 'it has no digest' }
}

function pinned(reference: string, digest: string) {
  return { reference: atDigest(reference, digest), digest }
}

function refusal(
  reference: string,
  digest: string | undefined,
  reason: string,
  outcome?: Verdict['outcome'],
): ThvError {
  const image = digest === undefined ? reference : atDigest(reference, digest)
  // A registry that did not answer may answer later, so this is tried again. A wrong signature stays wrong.
  if (outcome === 'unreachable') return unavailable(`${image} could not be verified and is not started: ${reason}`)
  return invalid(
    `${image} is not started, because image_verification is enabled: ${reason}; use an image that its publisher signed, or set image_verification to warn`,
  )
}
