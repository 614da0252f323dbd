import { isThvError, type ThvError } from '../../errors.ts'

/**
 * What happens to a refusal. A request that is carried out is refused at the first one. A plan keeps it and goes on with
 * `instead`, to name every problem at once.
 */
export interface Problems {
  /** Nothing may be held, stored or started for it. */
  readonly isPlan: boolean
  check<T>(field: string | undefined, work: () => T, instead: T): T
  wait<T>(field: string | undefined, work: () => Promise<T>, instead: T): Promise<T>
}

export const REFUSE: Problems = {
  isPlan: false,
  check: (_field, work) => work(),
  wait: (_field, work) => work(),
}

export interface Problem {
  /** Of the request. Left out: it is about the whole of it. */
  field?: string
  error: ThvError
}

export interface FoundProblems extends Problems {
  readonly found: readonly Problem[]
  add(error: unknown, field?: string): void
}

export function collectProblems(): FoundProblems {
  const found: Problem[] = []
  /** What is not a refusal is a fault of ours and stays one. */
  const add = (error: unknown, field?: string) => {
    if (!isThvError(error)) throw error
    if (!found.some((known) => known.error.message === error.message))
      found.push({ ...(field !== undefined && { field }), error })
  }
  return {
    isPlan: true,
    found,
    add,
    check: (field, work, instead) => {
      try {
        return work()
      } catch (error) {
        add(error, field)
        return instead
      }
    },
    wait: async (field, work, instead) => {
      try {
        return await work()
      } catch (error) {
        add(error, field)
        return instead
      }
    },
  }
}
