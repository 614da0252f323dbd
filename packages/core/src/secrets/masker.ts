/** Replaces secret values in every text before it leaves the process. */
export interface Masker {
  /** Sets the values that one owner (a workload, a provider) holds now, in place of its previous ones. */
  hold(owner: string, values: readonly string[]): void
  release(owner: string): void
  mask(text: string): string
}

/** Shorter values cannot be distinguished from ordinary text: masking "1" would destroy every log. */
const MIN_LENGTH = 4
const MASK = '[secret]'

export function createMasker(): Masker {
  const byOwner = new Map<string, readonly string[]>()
  let needles: string[] = []

  function rebuild(): void {
    const all = new Set([...byOwner.values()].flat().flatMap(spellings))
    // Longest first: a value that contains another must not leave its remainder behind.
    needles = [...all].toSorted((a, b) => b.length - a.length)
  }

  return {
    hold(owner, values) {
      byOwner.set(owner, values)
      rebuild()
    },
    release(owner) {
      if (byOwner.delete(owner)) rebuild()
    },
    mask(text) {
      let masked = text
      for (const needle of needles) {
        if (masked.includes(needle)) masked = masked.replaceAll(needle, MASK)
      }
      return masked
    },
  }
}

/** The value itself, its forms in JSON and in a URL, and each line of a key that spans lines. */
function spellings(value: string): string[] {
  const forms = [
    value,
    JSON.stringify(value).slice(1, -1),
    encodeURIComponent(value.toWellFormed()),
    ...value.split(/\r?\n/),
  ]
  return forms.filter((form) => form.length >= MIN_LENGTH)
}
