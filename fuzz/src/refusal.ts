import { isThvError } from '@toolhaven/core/errors'
import { kindOf } from './changed-text.ts'

/** Reads a document, which is accepted or refused with a sentence for people. Any other error is our fault. */
export function takenOrRefused(read: () => string): string {
  try {
    return read()
  } catch (error) {
    if (!isThvError(error, 'invalid')) throw error
    if (error.message.trim() === '') throw new Error('it is refused without a word', { cause: error })
    return `refused: ${kindOf(error.message)}`
  }
}
