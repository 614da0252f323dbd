import type { DoctorCheck } from '@toolhaven/contract/doctor'
import type { StartedImage } from '@toolhaven/contract/workloads'

/** Which image runs, and whether who should have made it did. Nothing to say of what came from no registry. */
export function imageCheck(image: StartedImage | undefined): DoctorCheck[] {
  if (image?.digest === undefined) return []
  const { digest, verification, detail } = image
  const found = `${digest}, ${detail ?? 'its signature was not checked'}`
  if (verification === 'verified') return [{ check: 'image', status: 'ok', found }]
  if (verification === undefined || verification === 'no-provenance') return [{ check: 'image', status: 'info', found }]
  return [{ check: 'image', status: 'warning', found, fix: 'ask its publisher for a signed image' }]
}
