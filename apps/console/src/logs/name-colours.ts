/** As many as the style sheet has. */
export const COLOURS = 8

/** A colour for each name. Those that have one keep it; others get one that is free, as long as there is one. */
export function nameColours(before: ReadonlyMap<string, number>, names: readonly string[]): Map<string, number> {
  const kept = new Map([...before].filter(([name]) => names.includes(name)))
  for (const name of names) {
    if (kept.has(name)) continue
    const used = [...kept.values()]
    const free = Array.from({ length: COLOURS }, (_, colour) => colour).find((colour) => !used.includes(colour))
    kept.set(name, free ?? kept.size % COLOURS)
  }
  return kept
}
