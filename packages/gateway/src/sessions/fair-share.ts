/**
 * Whose oldest makes room when there is no more: that of the caller with the most, or of the one who asks if nobody has
 * more. So nobody loses anything to a caller who has more than they do. Undefined stands for all callers without a
 * name.
 */
export function whoMakesRoom(owners: Iterable<string | undefined>, asking: string | undefined): string | undefined {
  return callersWithMost(owners, asking).values().next().value
}

/** The same where several have equally many: all of them, in the order of their oldest. */
export function callersWithMost(
  owners: Iterable<string | undefined>,
  asking: string | undefined,
): Set<string | undefined> {
  const counts = new Map<string | undefined, number>([[asking, 0]])
  for (const owner of owners) counts.set(owner, (counts.get(owner) ?? 0) + 1)
  const most = Math.max(...counts.values())
  if (counts.get(asking) === most) return new Set([asking])
  return new Set([...counts.keys()].filter((owner) => counts.get(owner) === most))
}
