/** Whether two different keys are one to libraries that read them without regard to case. */
export function isAlike(one: string, other: string): boolean {
  return one !== other && folded(one) === folded(other)
}

/** Both ways, for the long s and the Kelvin sign. */
function folded(text: string): string {
  return text.toUpperCase().toLowerCase()
}
