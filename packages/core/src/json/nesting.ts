/** The maximum depth of a request. */
export const MOST_LEVELS = 32

/** Whether objects and lists nest deeper than this. Writing or comparing such a value would overflow the stack. */
export function isNestedDeeper(value: unknown, levels: number = MOST_LEVELS): boolean {
  const open: { value: unknown; depth: number }[] = [{ value, depth: 0 }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next.value !== 'object' || next.value === null) continue
    const depth = next.depth + 1
    if (depth > levels) return true
    for (const part of Object.values(next.value)) open.push({ value: part, depth })
  }
  return false
}
