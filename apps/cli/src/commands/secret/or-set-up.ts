import { isThvError, notFound } from '@toolhaven/core/errors'

/** Runs the work. If no provider is set up, the error names the command that sets one up. */
export async function orSetUp<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!isNotSetUp(error)) throw error
    throw notFound('no secrets provider is set up\n"thv secret setup" sets one up.', error)
  }
}

export const isNotSetUp = (error: unknown) =>
  isThvError(error, 'not-found') && error.message.startsWith('no secrets provider')
