import type { DoctorCheck } from '@toolhaven/contract/doctor'
import type { StartedImage } from '@toolhaven/contract/workloads'

/** The image that runs, and whether the expected publisher signed it. No finding for an image without a registry. */
export function imageCheck(image: StartedImage | undefined): DoctorCheck[] {
  if (image?.digest === undefined) return []
  const { digest, verification, detail } = image
  const found = `${digest}, ${detail ?? 'its signature was not checked'}`
  if (verification === 'verified') return [{ check: 'image', status: 'ok', found }]
  if (verification === undefined || verification === 'no-provenance') return [{ check: 'image', status: 'info', found }]
  return [{ check: 'image', status: 'warning', found, fix: 'ask its publisher for a signed image' }]
}
