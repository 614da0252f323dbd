import { ThvError } from '../../errors.ts'

/**
 * A server's process ended before it answered for the first time. Some do so because of the first message; the next process
 * gets another one, so there is no verdict yet.
 */
export class EndedEarly extends ThvError {
  constructor(message: string, cause: unknown) {
    super('unavailable', message, { cause })
  }
}
