import { setImmediate as nextTurn } from 'node:timers/promises'

/** Others do not wait longer than this for a list to be judged. */
const PIECE_MS = 10
const MOST_OF_A_PIECE = 1000

/** The items to keep: synchronous where that is quick, otherwise in pieces, between which others have their turn. */
export function filterInPieces<T>(items: readonly T[], isKept: (item: T) => boolean): T[] | Promise<T[]> {
  const kept: T[] = []
  const next = judgePiece(items, 0, isKept, kept)
  return next === items.length ? kept : filterRest(items, next, isKept, kept)
}

async function filterRest<T>(items: readonly T[], from: number, isKept: (item: T) => boolean, kept: T[]): Promise<T[]> {
  for (let next = from; next < items.length;) {
    await nextTurn()
    next = judgePiece(items, next, isKept, kept)
  }
  return kept
}

/** Returns where the next piece begins. */
function judgePiece<T>(items: readonly T[], from: number, isKept: (item: T) => boolean, kept: T[]): number {
  const end = performance.now() + PIECE_MS
  let at = from
  for (const item of items.slice(from, from + MOST_OF_A_PIECE)) {
    if (at > from && performance.now() > end) break
    if (isKept(item)) kept.push(item)
    at++
  }
  return at
}
