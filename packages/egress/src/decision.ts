import type { Destination } from './outbound-policy.ts'

/** One connection that a workload tried to open, and the outcome. */
export interface Decision extends Destination {
  isAllowed: boolean
  /** The reason for a refusal. */
  reason?: string
}
