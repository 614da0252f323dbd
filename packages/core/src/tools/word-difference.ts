export interface Part {
  kind: 'same' | 'removed' | 'added'
  text: string
}

/** The budget for comparing. The texts come from a server, and the work grows with the product of their lengths. */
export interface Budget {
  steps: number
}

/** A word, an escape of `visibleText`, a run of space, or one other character. */
const TOKENS = /\\u\{[0-9a-f]+\}|\\.|[\p{L}\p{N}\p{M}_]+|\s+|[^]/gu

/** The difference of two texts, word by word. Beyond the budget, one text simply replaces the other. */
export function wordDifference(before: string, after: string, budget: Budget): Part[] {
  const [old, now] = [before.match(TOKENS) ?? [], after.match(TOKENS) ?? []]
  let start = 0
  while (start < old.length && start < now.length && old[start] === now[start]) start++
  let end = 0
  while (end < Math.min(old.length, now.length) - start && old.at(-1 - end) === now.at(-1 - end)) end++
  const [left, right] = [old.slice(start, old.length - end), now.slice(start, now.length - end)]
  budget.steps -= left.length * right.length
  const middle = budget.steps >= 0 ? changed(left, right) : replaced(left, right)
  return merged([...same(old.slice(0, start)), ...middle, ...same(old.slice(old.length - end))])
}

const same = (tokens: readonly string[]): Part[] => [{ kind: 'same', text: tokens.join('') }]

const replaced = (left: readonly string[], right: readonly string[]): Part[] => [
  { kind: 'removed', text: left.join('') },
  { kind: 'added', text: right.join('') },
]

/** Compares words by their longest common subsequence. */
function changed(left: readonly string[], right: readonly string[]): Part[] {
  const width = right.length + 1
  const longest = new Uint32Array((left.length + 1) * width)
  const at = (i: number, j: number) => longest[i * width + j] ?? 0
  for (let i = left.length - 1; i >= 0; i--)
    for (let j = right.length - 1; j >= 0; j--)
      longest[i * width + j] = left[i] === right[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
  const parts: Part[] = []
  for (let [i, j] = [0, 0]; i < left.length || j < right.length;) {
    const [old, now] = [left[i], right[j]]
    const isKept = old !== undefined && old === now
    const isGone = !isKept && old !== undefined && (now === undefined || at(i + 1, j) >= at(i, j + 1))
    parts.push({ kind: isKept ? 'same' : isGone ? 'removed' : 'added', text: (isGone ? old : (now ?? old)) ?? '' })
    if (isKept || isGone) i++
    if (!isGone) j++
  }
  return parts
}

/** Joins adjacent parts of one kind. */
function merged(parts: readonly Part[]): Part[] {
  const list: Part[] = []
  for (const { kind, text } of parts) {
    const last = list.at(-1)
    if (text === '') continue
    if (last?.kind === kind) last.text += text
    else list.push({ kind, text })
  }
  return list
}
