/** Drops keys with empty values: `null`, `""`, `[]` and `{}`. Keeps `false` and `0`. */
export function withoutEmpty<T extends object>(object: T): Partial<T> {
  const kept: Partial<T> = { ...object }
  for (const [key, value] of Object.entries(object)) {
    if (isEmpty(value)) Reflect.deleteProperty(kept, key)
  }
  return kept
}

export function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true
  return typeof value === 'object' && Object.keys(value).length === 0
}
