/** Whether two different keys are one to libraries that read them without regard to case. */
export function isAlike(one: string, other: string): boolean {
  return one !== other && folded(one) === folded(other)
}

/** Whether there are two such among these. */
export function hasAlike(keys: readonly string[]): boolean {
  return keys.length > 1 && new Set(keys.map(folded)).size < keys.length
}

/** Both ways, for the long s and the Kelvin sign. */
function folded(text: string): string {
  return text.toUpperCase().toLowerCase()
}
