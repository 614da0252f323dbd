import { describe, expect, test, type TestContext } from 'vitest'
import { type Rotation, sample, slowed } from '@toolhaven/testing/rotation'
import { ROUNDS_OF_PLATFORMS } from './attacked-platforms.ts'
import { type Build, SHIPPED, type Weakness, weakenedBuild } from './build.ts'

/** The outcome of each attempt: true when the attacker got what they wanted. */
export type Gains = Readonly<Record<string, boolean>>

export interface Attack {
  /** The one defence that is taken out of the weakened build, as a noun. */
  defence: string
  weaknesses: readonly Weakness[]
  attack: (build: Build, context: TestContext) => Promise<Gains>
}

/**
 * Every attempt must succeed without the defence, otherwise it proves nothing, and fail with it. Every run attacks what
 * is shipped. The weakened builds, which prove the attacks and not the product, take turns.
 */
export function describeAttack(name: string, { defence, weaknesses, attack }: Attack): void {
  describe(name, () => {
    // Looked up in every run, so that changed code is noticed now, not only in their turn.
    const weakened = weakenedBuild(weaknesses)
    if (isTurnOf(name))
      test(`bites without ${defence}`, async (context) => {
        const gains = await attack(weakened, context)
        expect(Object.keys(gains)).not.toEqual([])
        expect(gains).toEqual(every(gains, true))
      })

    test('is closed', async (context) => {
      const gains = await attack(SHIPPED, context)
      expect(gains).toEqual(every(gains, false))
    })
  })
}

const THIRDS = [0, 1, 2]

export function isTurnOf(name: string, rotation?: Rotation): boolean {
  const third = [...name].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % THIRDS.length
  return sample(THIRDS, 1, slowed(ROUNDS_OF_PLATFORMS, rotation)).includes(third)
}

function every(gains: Gains, isGained: boolean): Gains {
  return Object.fromEntries(Object.keys(gains).map((attempt) => [attempt, isGained]))
}
