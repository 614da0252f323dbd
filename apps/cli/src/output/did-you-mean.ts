import { closest } from '@toolhaven/core/closest'
import { type ThvError, isThvError, notFound } from '@toolhaven/core/errors'

export interface KnownNames {
  /** What the user typed. */
  wanted: readonly string[]
  /** Lists the existing names. Called only if something was not found. */
  known: () => Promise<readonly string[]>
  /** The command that lists all of them. */
  seeAll: string
}

/** The API route that lists them all. A command replaces it here. */
const SEE_ALL = /; GET \/api\/\S+ lists them$/

/** Runs the work. If a name is not found, the error also suggests a similar one. */
export async function orDidYouMean<Result>(
  { wanted, known, seeAll }: KnownNames,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    // The registry has it, so the user did not mean another name.
    if (!isThvError(error, 'not-found') || error.message.includes(', but Toolhaven cannot run it: ')) throw error
    const names = await known().catch((): string[] => [])
    throw notFound(`${error.message.replace(SEE_ALL, '')}\n${suggestion(wanted, names)}"${seeAll}" lists them.`, error)
  }
}

/** The same if the names are already known: `group reserch not found`, with a suggestion. */
export function unknownName(kind: string, name: string, names: readonly string[]): ThvError {
  return notFound(
    `${kind} ${name} not found\n${suggestion([name], names)}There ${names.length > 0 ? `are: ${names.join(', ')}` : 'is none'}.`,
  )
}

export function suggestion(wanted: readonly string[], names: readonly string[]): string {
  const unknown = wanted.filter((name) => !names.includes(name))
  const close = unknown.map((name) => closest(name, names)).filter((name) => name !== undefined)
  return close.length > 0 ? `Did you mean ${[...new Set(close)].join(', ')}? ` : ''
}
