import { type ThvError, isThvError, notFound } from '@toolhaven/core/errors'

export interface KnownNames {
  /** What the user typed. */
  wanted: readonly string[]
  /** What there is; asked for only when something was not found. */
  known: () => Promise<readonly string[]>
  /** The command that shows them all. */
  seeAll: string
}

/** The route of the API that lists them all. Here a command does. */
const SEE_ALL = /; GET \/api\/\S+ lists them$/

/** Does the work; when it finds nothing of a name, the error also says what may have been meant. */
export async function orDidYouMean<Result>(
  { wanted, known, seeAll }: KnownNames,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!isThvError(error, 'not-found')) throw error
    const names = await known().catch((): string[] => [])
    throw notFound(
      `${error.message.replace(SEE_ALL, '')}\n${suggestion(wanted, names)}"${seeAll}" shows what there is.`,
      error,
    )
  }
}

/** The same where the names are at hand already: `group reserch not found`, and what may have been meant. */
export function unknownName(kind: string, name: string, names: readonly string[]): ThvError {
  return notFound(
    `${kind} ${name} not found\n${suggestion([name], names)}There ${names.length > 0 ? `are: ${names.join(', ')}` : 'is none'}.`,
  )
}

function suggestion(wanted: readonly string[], names: readonly string[]): string {
  const unknown = wanted.filter((name) => !names.includes(name))
  const close = unknown.map((name) => closest(name, names)).filter((name) => name !== undefined)
  return close.length > 0 ? `Did you mean ${[...new Set(close)].join(', ')}? ` : ''
}

/** The name that was most likely meant, if any is near enough. */
export function closest(typed: string, names: readonly string[]): string | undefined {
  const wanted = typed.toLowerCase()
  // A name of which no letter was typed was not meant.
  const limit = Math.min(Math.max(1, Math.floor(wanted.length / 3)), wanted.length - 1)
  const ranked = names
    .map((name) => ({ name, distance: distanceOf(wanted, name.toLowerCase()) }))
    .filter(({ distance }) => distance <= limit)
    .toSorted((a, b) => a.distance - b.distance)
  return ranked[0]?.name
}

/** Edits from one to the other: a letter added, left out or changed, or two neighbours swapped. */
function distanceOf(from: string, to: string): number {
  let earlier: number[] = []
  let previous = Array.from({ length: to.length + 1 }, (_, at) => at)
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row]
    for (let column = 1; column <= to.length; column += 1) {
      const change = from[row - 1] === to[column - 1] ? 0 : 1
      const isSwap = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      current[column] = Math.min(
        (previous[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (previous[column - 1] ?? 0) + change,
        isSwap ? (earlier[column - 2] ?? 0) + 1 : Infinity,
      )
    }
    earlier = previous
    previous = current
  }
  return previous[to.length] ?? 0
}
