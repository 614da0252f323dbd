import type { TestContext } from 'vitest'
import { type Bridge, createBridge } from '@toolhaven/testing/testbed/bridge'
import { Unavailable } from '@toolhaven/testing/testbed/unavailable'

/** A private address of this machine, at which the machine itself and containers reach it. */
export async function openAddress(context: TestContext): Promise<Bridge> {
  return createBridge().catch((error: unknown) => {
    if (error instanceof Unavailable) return context.skip(error.message)
    throw error
  })
}
