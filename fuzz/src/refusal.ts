import { isThvError } from '@toolhaven/core/errors'
import { kindOf } from './changed-text.ts'

/** Reads a document: it is taken, or refused with a sentence for people. Anything else that is thrown is a fault of ours. */
export function takenOrRefused(read: () => string): string {
  try {
    return read()
  } catch (error) {
    if (!isThvError(error, 'invalid')) throw error
    if (error.message.trim() === '') throw new Error('it is refused without a word', { cause: error })
    return `refused: ${kindOf(error.message)}`
  }
}
