import type { StoredWorkload } from '../../ports/stores.ts'

const BYTES = 8

/** Equal for equal configurations, whatever else has happened to the workload. */
export async function revisionOf({ asked, config }: Pick<StoredWorkload, 'asked' | 'config'>): Promise<string> {
  const text = new TextEncoder().encode(JSON.stringify([asked, config]))
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', text), 0, BYTES)
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
