import { takingTurns, rotationInside, waitingFiles } from '@toolhaven/testing/turns'
import { expect, test } from 'vitest'
import { isTurnOf } from './describe-attack.ts'

const ROUNDS = 400
const NAMES = ['a', 'b', 'c']
const PLATFORMS = 3

// A rotation at the same speed would show one platform again and again.
test.each(takingTurns().filter((file) => file.includes('/attacks/')))(
  'builds without a defence of %s are attacked on every platform',
  (file) => {
    const met = new Set<string>()
    for (let round = 0; round < ROUNDS; round += 1) {
      const rotation = { full: false, round }
      if (waitingFiles(rotation).includes(file)) continue
      const platform = rotationInside(`/somewhere/${file}`, rotation).round % PLATFORMS
      for (const name of NAMES) if (isTurnOf(name, rotation)) met.add(`${name} on ${platform}`)
    }
    expect(met.size).toBe(NAMES.length * PLATFORMS)
  },
)
