export interface Summary {
  count: number
  min: number
  p50: number
  p99: number
}

export function summarise(values: readonly number[]): Summary {
  const sorted = values.toSorted((a, b) => a - b)
  return { count: sorted.length, min: at(sorted, 0), p50: at(sorted, 0.5), p99: at(sorted, 0.99) }
}

export const median = (values: readonly number[]): number => summarise(values).p50

function at(sorted: readonly number[], share: number): number {
  const value = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
  if (value === undefined) throw new Error('nothing was measured')
  return value
}

/** Runs each contender once per round, starting each round with another one, so that a busy moment hits all alike. */
export async function inTurns<Name extends string, T>(
  rounds: number,
  contenders: Readonly<Record<Name, (round: number) => Promise<T>>>,
): Promise<Map<string, T[]>> {
  const entries = Object.entries<(round: number) => Promise<T>>(contenders)
  const results = new Map<string, T[]>(entries.map(([name]) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    const shift = round % entries.length
    for (const [name, measure] of [...entries.slice(shift), ...entries.slice(0, shift)]) {
      results.get(name)?.push(await measure(round))
    }
  }
  return results
}

export function of<T>(results: ReadonlyMap<string, T>, name: string): T {
  const found = results.get(name)
  if (found === undefined) throw new Error(`nothing was measured for ${name}`)
  return found
}
