/** Which part of a big matrix this run takes. Set by `npm test`, absent when a suite is run by hand. */
export interface Rotation {
  full: boolean
  round: number
}

export function rotationFrom(env: Readonly<Record<string, string | undefined>>): Rotation {
  const round = Number(env['THV_TEST_ROTATION'] ?? 0)
  if (!Number.isSafeInteger(round) || round < 0) {
    throw new Error(`THV_TEST_ROTATION must be a whole number from 0, not ${env['THV_TEST_ROTATION']}`)
  }
  return { full: env['THV_TEST_FULL'] === '1', round }
}

/**
 * All cells in a full run. Otherwise `count` neighbours (at least one), so that consecutive rounds walk through the
 * whole list and a failure repeats at the same round.
 */
export function sample<Cell>(
  cells: readonly Cell[],
  count: number,
  rotation: Rotation = rotationFrom(process.env),
): readonly Cell[] {
  const take = Math.max(1, Math.trunc(count))
  if (rotation.full || take >= cells.length) return cells
  const start = (rotation.round * take) % cells.length
  return [...cells, ...cells].slice(start, start + take)
}

/**
 * The rotation of a matrix inside another one: it moves on once in `rounds` rounds, after which the other one starts
 * again. At the same speed some pairs of the two would never meet.
 */
export function slowed(rounds: number, rotation: Rotation = rotationFrom(process.env)): Rotation {
  return { ...rotation, round: Math.floor(rotation.round / rounds) }
}
