import { isThvError, type ThvError } from '../../errors.ts'

/**
 * Handles a refusal. A real request stops at the first one. A plan collects it and continues with `instead`, so that it can report
 * all problems at once.
 */
export interface Problems {
  /** A plan must not reserve, store or start anything. */
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
  /** Field of the request. Undefined if the problem concerns the whole request. */
  field?: string
  error: ThvError
}

export interface FoundProblems extends Problems {
  readonly found: readonly Problem[]
  add(error: unknown, field?: string): void
}

export function collectProblems(): FoundProblems {
  const found: Problem[] = []
  /** Any other error is a bug and is thrown again. */
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
