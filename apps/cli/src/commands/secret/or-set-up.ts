import { isThvError, notFound } from '@toolhaven/core/errors'

/** Does the work; where no provider is set up, the error names the command that does it. */
export async function orSetUp<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!isThvError(error, 'not-found') || !error.message.startsWith('no secrets provider')) throw error
    throw notFound('no secrets provider is set up\n"thv secret setup" sets one up.', error)
  }
}
