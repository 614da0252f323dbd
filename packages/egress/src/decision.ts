import type { Destination } from './outbound-policy.ts'

/** One connection a workload asked for, and what became of it. */
export interface Decision extends Destination {
  isAllowed: boolean
  /** Why not. */
  reason?: string
}
