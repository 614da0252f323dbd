import { setTimeout as delay } from 'node:timers/promises'
import type { Clock } from '@toolhaven/core/ports/clock'

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) => delay(ms, undefined, { signal }),
}
