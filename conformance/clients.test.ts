import { sample } from '@toolhaven/testing/rotation'
import { rotationInside } from '@toolhaven/testing/turns'
import { describe, expect, it } from 'vitest'
import { REAL_CLIENTS } from './src/clients/real-clients.ts'
import { BACKS, tryClient } from './src/clients/try-client.ts'

const PAIRS = REAL_CLIENTS.flatMap((client) => BACKS.map((back) => ({ client, back, name: client.name })))

describe.each(sample(PAIRS, 1, rotationInside(import.meta.url)))(
  '$name with a server behind $back',
  ({ client, back }) => {
    it('is told the same by the gateway as by the server itself, at both fronts', { timeout: 1_800_000 }, async () => {
      const rows = await tryClient(client, back)
      for (const { direct, proxied, front } of rows) expect({ front, told: proxied }).toEqual({ front, told: direct })
      expect(rows).toHaveLength(2)
    })
  },
)
