/**
 * Whose oldest makes room when there is no more: of the caller who has the most, or of the one who asks if nobody has more.
 * So nobody loses anything to a caller who has more than they do. Undefined stands for all callers without a name.
 */
export function whoMakesRoom(owners: Iterable<string | undefined>, asking: string | undefined): string | undefined {
  const counts = new Map<string | undefined, number>([[asking, 0]])
  for (const owner of owners) counts.set(owner, (counts.get(owner) ?? 0) + 1)
  let most = asking
  for (const [owner, count] of counts) if (count > (counts.get(most) ?? 0)) most = owner
  return most
}
