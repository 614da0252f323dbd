import { closest } from '@toolhaven/core/closest'
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
    // The registry has it, so no other name is meant.
    if (!isThvError(error, 'not-found') || error.message.includes(', but Toolhaven cannot run it: ')) throw error
    const names = await known().catch((): string[] => [])
    throw notFound(`${error.message.replace(SEE_ALL, '')}\n${suggestion(wanted, names)}"${seeAll}" lists them.`, error)
  }
}

/** The same where the names are at hand already: `group reserch not found`, and what may have been meant. */
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
